"""What a run looks like from outside: charts, TensorBoard, Weights & Biases. Reads runs; never trains."""
