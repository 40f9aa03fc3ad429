"""The author's desk: exercises written, looked through and varied by means of the catalogue of mistakes."""
