--- Rows: files and encoded images as tensors.

return {
  {"tf.io.read_file", "filename, name=None", "ReadFile", "A file's bytes."},
  {"tf.io.write_file", "filename, contents, name=None", "WriteFile", "Writes bytes to a file."},
  {"tf.io.matching_files", "pattern, name=None", "MatchingFiles", "Names of files that match a pattern."},
  {"tf.io.decode_png tf.image.decode_png", "contents, channels=0, dtype=tf.uint8, name=None", "DecodePng", "A PNG image as a tensor."},
  {"tf.io.encode_png tf.image.encode_png", "image, compression=-1, name=None", "EncodePng", "A tensor as a PNG image."},
  {"tf.io.decode_jpeg tf.image.decode_jpeg", "contents, channels=0, ratio=1, fancy_upscaling=True, try_recover_truncated=False, " ..
    "acceptable_fraction=1.0, dct_method='', name=None", "DecodeJpeg", "A JPEG image as a tensor."},
  {"tf.io.decode_raw", "input_bytes, out_type, little_endian=True, fixed_length:any=None, name=None",
   "DecodeRaw input_bytes=bytes fixed_length=-", "Bytes as numbers."},
}
