/** Width and height of a video, in pixels. */
export type Pixels = readonly [width: number, height: number]

const RATIOS: readonly string[] = ['16:9', '4:3', '1:1', '3:4', '9:16', '21:9']

/** What the models behind the wire of video tasks make, in the order of {@link RATIOS}. 4k is 1080p twice. */
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
 * How many pixels a video has by the words of a request: `720p` and `16:9`.
 * @returns undefined where either is not among the known: `adaptive`, `9:21`.
 */
export function pixelsOf(resolution: string, ratio: string): Pixels | undefined {
  return Object.hasOwn(SIZES, resolution) ? SIZES[resolution]?.[RATIOS.indexOf(ratio)] : undefined
}
