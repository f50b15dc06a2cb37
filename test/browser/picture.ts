import type { Locator } from "playwright-core";

/** The pixels of a picture, four bytes each. */
export interface Picture {
  readonly data: readonly number[];
  readonly width: number;
  readonly height: number;
}

/** Takes a picture of an element, which another page of the browser decodes. */
export async function readPicture(element: Locator): Promise<Picture> {
  const png = (await element.screenshot()).toString("base64");
  const blank = await element.page().context().newPage();
  const picture = await blank.evaluate<Picture>(`(async () => {
    const image = new Image();
    image.src = "data:image/png;base64,${png}";
    await image.decode();
    const { width, height } = image;
    const drawing = new OffscreenCanvas(width, height).getContext("2d");
    drawing.drawImage(image, 0, 0);
    return { width, height, data: [...drawing.getImageData(0, 0, width, height).data] };
  })()`);
  await blank.close();
  return picture;
}
