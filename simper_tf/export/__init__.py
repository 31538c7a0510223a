"""Encoder and readout -> SavedModel, ONNX and TFLite."""
