import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** True if ffmpeg and ffprobe are installed. */
export const hasFfmpeg = ['ffmpeg', 'ffprobe'].every((name) => spawnSync(name, ['-version']).status === 0)

/** A tone of 440 Hz with 24 kHz, 16 bits, mono, without a header. */
export function tone(milliseconds: number): Buffer {
  const samples = (24_000 * milliseconds) / 1_000
  const bytes = Buffer.alloc(samples * 2)
  for (let at = 0; at < samples; at++)
    bytes.writeInt16LE(Math.round(8_000 * Math.sin((at * 440 * 2 * Math.PI) / 24_000)), at * 2)
  return bytes
}

const CODECS: Readonly<Record<string, readonly string[]>> = {
  mp3: ['-f', 'mp3'],
  opus: ['-c:a', 'libopus', '-f', 'ogg'],
  aac: ['-f', 'adts'],
  flac: ['-f', 'flac'],
  wav: ['-f', 'wav'],
  pcm: ['-f', 's16le'],
}

/** A tone in a format, as ffmpeg encodes it. */
export function encodedTone(format: string, milliseconds: number): Buffer {
  const input = ['-f', 's16le', '-ar', '24000', '-ac', '1', '-i', 'pipe:0']
  return execFileSync('ffmpeg', ['-v', 'error', ...input, ...(CODECS[format] ?? []), 'pipe:1'], {
    input: tone(milliseconds),
    maxBuffer: 64 * 1024 * 1024,
  })
}

/** What ffprobe says about a file: its codec, and the seconds of the decoded sound. */
export function probed(bytes: Uint8Array, format: string): { codec: string; seconds: number } {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-sound-'))
  const file = join(folder, `sound.${format}`)
  const raw = format === 'pcm' ? ['-f', 's16le', '-ar', '24000', '-ac', '1'] : []
  try {
    writeFileSync(file, bytes)
    const entries = ['-show_entries', 'stream=codec_name', '-of', 'default=nk=1:nw=1']
    const codec = execFileSync('ffprobe', ['-v', 'error', ...raw, ...entries, file])
      .toString()
      .trim()
    const decoded = join(folder, 'decoded.raw')
    execFileSync('ffmpeg', ['-v', 'error', ...raw, '-i', file, '-f', 's16le', '-ar', '24000', '-ac', '1', decoded])
    return { codec, seconds: readFileSync(decoded).length / 48_000 }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
