/** Width and height of a video, in pixels. */
export type Pixels = readonly [width: number, height: number]

const RATIOS: readonly string[] = ['16:9', '4:3', '1:1', '3:4', '9:16', '21:9']

/**
 * Sizes by resolution, in the order of {@link RATIOS}, of the models behind the video tasks wire. 4k is twice 1080p.
 */
const SIZES: Readonly<Record<string, readonly Pixels[]>> = {
  '480p': [
    [864, 496],
    [752, 560],
    [640, 640],
    [560, 752],
    [496, 864],
    [992, 432],
  ],
  '720p': [
    [1280, 720],
    [1112, 834],
    [960, 960],
    [834, 1112],
    [720, 1280],
    [1470, 630],
  ],
  '1080p': [
    [1920, 1080],
    [1664, 1248],
    [1440, 1440],
    [1248, 1664],
    [1080, 1920],
    [2206, 946],
  ],
  '4k': [
    [3840, 2160],
    [3328, 2496],
    [2880, 2880],
    [2496, 3328],
    [2160, 3840],
    [4412, 1892],
  ],
}

/**
 * Size of a video. Undefined for an unknown resolution or ratio, such as `adaptive` or `9:21`.
 * @example pixelsOf('720p', '16:9') // [1280, 720]
 */
export function pixelsOf(resolution: string, ratio: string): Pixels | undefined {
  return Object.hasOwn(SIZES, resolution) ? SIZES[resolution]?.[RATIOS.indexOf(ratio)] : undefined
}
