function drawPictures() {}
