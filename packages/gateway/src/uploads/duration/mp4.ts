import type { ByteReader } from './byte-source.ts'

/** Maximum number of boxes that are read, so that the work is bounded for files of empty boxes. */
const MAX_BOXES = 200_000
/** Maximum bytes of one read of a table. */
const TABLE = 64 * 1024
/** Samples at the start and the end of a track that an edit list can remove. */
const MAX_TRIMMED = 8_192

interface Box {
  readonly type: string
  readonly start: number
  readonly end: number
}

interface Track {
  id: number
  isSound: boolean
  /** Units per second. */
  scale: number
  /** Units that the header names. */
  announced: number
  /** Units of all samples. */
  summed: number
  /** Units of the movie that the edit list shows; undefined = no edit list. */
  shown: number | undefined
}

interface Movie {
  scale: number
  announced: number
  readonly tracks: Track[]
  /** Default duration of a sample in fragments, by track. */
  readonly defaults: Map<number, number>
  boxes: number
  /** Fragment that is read. */
  fragment: Fragment | undefined
}

/** Track of a fragment, and the default duration of its samples. */
interface Fragment {
  readonly track: Track
  readonly duration: number
}

/** Boxes that contain boxes. */
const CONTAINERS: ReadonlySet<string> = new Set([
  'moov',
  'trak',
  'mdia',
  'minf',
  'stbl',
  'edts',
  'mvex',
  'moof',
  'traf',
])

/**
 * Milliseconds of an MP4 or M4A file, also of one with fragments: the longest track with sound.
 * @see ISO/IEC 14496-12
 */
export async function mp4Duration(reader: ByteReader): Promise<number | undefined> {
  const movie: Movie = { scale: 0, announced: 0, tracks: [], defaults: new Map(), boxes: 0, fragment: undefined }
  await walk(reader, movie, 0, reader.size)
  const sounds = movie.tracks.filter(({ isSound, scale }) => isSound && scale > 0)
  const longest = Math.max(0, ...sounds.map((track) => secondsOf(track, movie)))
  const seconds = longest > 0 || movie.scale === 0 ? longest : movie.announced / movie.scale
  return seconds > 0 ? seconds * 1_000 : undefined
}

function secondsOf({ scale, announced, summed, shown }: Track, movie: Movie): number {
  const media = Math.max(announced, summed) / scale
  if (shown === undefined || movie.scale === 0) return media
  return Math.max(Math.min(media, shown / movie.scale), media - MAX_TRIMMED / scale)
}

async function walk(reader: ByteReader, movie: Movie, from: number, to: number): Promise<void> {
  // A list instead of recursion: boxes can be nested as deep as the file is long.
  const ranges: [at: number, end: number][] = [[from, to]]
  for (let range = ranges.pop(); range && movie.boxes < MAX_BOXES; range = ranges.pop()) {
    const box = await boxAt(reader, ...range)
    if (!box) continue
    movie.boxes++
    if (box.end < range[1]) ranges.push([box.end, range[1]])
    if (box.type === 'trak') movie.tracks.push(newTrack())
    if (CONTAINERS.has(box.type)) ranges.push([box.start, box.end])
    else await readBox(reader, movie, box)
  }
}

function newTrack(): Track {
  return { id: 0, isSound: false, scale: 0, announced: 0, summed: 0, shown: undefined }
}

async function boxAt(reader: ByteReader, at: number, end: number): Promise<Box | undefined> {
  if (at + 8 > end) return undefined
  const head = await reader.at(at, 16)
  if (head.length < 8) return undefined
  const type = head.toString('latin1', 4, 8)
  const short = head.readUInt32BE(0)
  if (short === 1 && head.length < 16) return undefined
  const size = short === 1 ? Number(head.readBigUInt64BE(8)) : short === 0 ? end - at : short
  const start = at + (short === 1 ? 16 : 8)
  if (at + size < start) return undefined
  return { type, start, end: Math.min(end, at + size) }
}

async function readBox(reader: ByteReader, movie: Movie, box: Box): Promise<void> {
  const track = movie.tracks.at(-1)
  const data = await reader.at(box.start, Math.min(box.end - box.start, 64))
  const isLong = data[0] === 1
  if (box.type === 'mvhd' || box.type === 'mdhd') {
    if (data.length < (isLong ? 32 : 20)) return
    const scale = data.readUInt32BE(isLong ? 20 : 12)
    const units = isLong ? Number(data.readBigUInt64BE(24)) : data.readUInt32BE(16)
    const announced = units === 0xffffffff || units >= 2 ** 63 ? 0 : units
    Object.assign(box.type === 'mvhd' ? movie : (track ?? {}), { scale, announced })
  }
  if (box.type === 'trex' && data.length >= 16) movie.defaults.set(data.readUInt32BE(4), data.readUInt32BE(12))
  if (!track) return
  if (box.type === 'tkhd' && data.length >= 24) track.id = data.readUInt32BE(isLong ? 20 : 12)
  if (box.type === 'hdlr' && data.length >= 12) track.isSound = data.toString('latin1', 8, 12) === 'soun'
  if (box.type === 'elst') track.shown = await sumOf(reader, box, isLong ? 20 : 12, (entry) => editOf(entry, isLong))
  if (box.type === 'stts')
    track.summed += await sumOf(reader, box, 8, (entry) => entry.readUInt32BE(0) * entry.readUInt32BE(4))
  if (box.type === 'tfhd') movie.fragment = fragmentOf(movie, data)
  if (box.type === 'trun' && movie.fragment) await addRun(reader, box, movie.fragment)
}

/** Sum over the entries of a table: its count is at 4, its entries follow at 8. */
async function sumOf(reader: ByteReader, box: Box, size: number, amountOf: (entry: Buffer) => number): Promise<number> {
  const first = box.start + 8
  const head = await reader.at(box.start, 8)
  const count = head.length < 8 ? 0 : Math.min(head.readUInt32BE(4), Math.floor((box.end - first) / size))
  const most = Math.floor(TABLE / size)
  let sum = 0
  for (let done = 0; done < count; done += most) {
    const bytes = await reader.at(first + done * size, Math.min(most, count - done) * size)
    for (let at = 0; at + size <= bytes.length; at += size) sum += amountOf(bytes.subarray(at, at + size))
  }
  return sum
}

/** Duration of an edit in units of the movie; 0 for an empty edit. */
function editOf(entry: Buffer, isLong: boolean): number {
  const isEmpty = isLong ? entry.readBigInt64BE(8) === -1n : entry.readInt32BE(4) === -1
  if (isEmpty) return 0
  return isLong ? Number(entry.readBigUInt64BE(0)) : entry.readUInt32BE(0)
}

function fragmentOf(movie: Movie, data: Buffer): Fragment | undefined {
  if (data.length < 8) return undefined
  const flags = data.readUInt32BE(0) & 0xffffff
  const id = data.readUInt32BE(4)
  const at = 8 + (flags & 1 ? 8 : 0) + (flags & 2 ? 4 : 0)
  const own = flags & 8 && data.length >= at + 4 ? data.readUInt32BE(at) : undefined
  const track = movie.tracks.find((one) => one.id === id)
  return track && { track, duration: own ?? movie.defaults.get(id) ?? 0 }
}

/** Adds the samples of a run in a fragment. */
async function addRun(reader: ByteReader, box: Box, { track, duration }: Fragment): Promise<void> {
  const head = await reader.at(box.start, 8)
  if (head.length < 8) return
  const flags = head.readUInt32BE(0) & 0xffffff
  const count = head.readUInt32BE(4)
  const fields = [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length
  if (!(flags & 0x100)) {
    track.summed += count * duration
    return
  }
  const extra = (flags & 1 ? 4 : 0) + (flags & 4 ? 4 : 0)
  const entries: Box = { type: box.type, start: box.start + extra, end: box.end }
  const size = fields * 4
  const fitting = Math.floor((box.end - entries.start - 8) / size)
  const most = Math.floor(TABLE / size)
  for (let done = 0; done < Math.min(count, fitting); done += most) {
    const bytes = await reader.at(entries.start + 8 + done * size, Math.min(most, count - done) * size)
    for (let at = 0; at + size <= bytes.length; at += size) track.summed += bytes.readUInt32BE(at)
  }
}
