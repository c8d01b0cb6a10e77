import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { audioFacts } from '../../src/uploads/duration/duration.ts'

const hasPrograms = spawnSync('ffprobe', ['-version']).status === 0 && spawnSync('ffmpeg', ['-version']).status === 0
const folder = mkdtempSync(join(tmpdir(), 'headgate-durations-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Containers: extension, the arguments of ffmpeg, and the rates that the codec has. */
const CONTAINERS: readonly (readonly [
  name: string,
  extension: string,
  args: readonly string[],
  rates: readonly number[],
])[] = [
  ['WAV', 'wav', [], [8_000, 16_000, 44_100, 48_000]],
  ['RF64', 'wav', ['-rf64', 'always', '-c:a', 'pcm_s24le'], [16_000, 44_100, 48_000, 96_000]],
  ['WAV with ADPCM', 'wav', ['-c:a', 'adpcm_ima_wav'], [8_000, 22_050, 44_100, 48_000]],
  ['AIFF', 'aiff', [], [8_000, 16_000, 44_100, 48_000]],
  ['MP3 of a constant rate', 'mp3', ['-b:a', '64k'], [16_000, 22_050, 44_100, 48_000]],
  [
    'MP3 of a variable rate',
    'mp3',
    ['-q:a', '5', '-id3v2_version', '3', '-metadata', 'title=x'],
    [16_000, 24_000, 44_100, 48_000],
  ],
  ['MP3 without a tag', 'mp3', ['-write_xing', '0'], [16_000, 22_050, 44_100, 48_000]],
  ['FLAC', 'flac', [], [8_000, 16_000, 44_100, 96_000]],
  ['Ogg with Vorbis', 'ogg', ['-c:a', 'libvorbis'], [16_000, 22_050, 44_100, 48_000]],
  ['Ogg with Opus', 'opus', ['-c:a', 'libopus'], [8_000, 16_000, 24_000, 48_000]],
  ['Ogg with FLAC', 'oga', ['-c:a', 'flac'], [16_000, 22_050, 44_100, 48_000]],
  ['M4A', 'm4a', [], [16_000, 22_050, 44_100, 48_000]],
  [
    'MP4 with fragments',
    'mp4',
    ['-movflags', 'frag_keyframe+empty_moov', '-frag_duration', '500000'],
    [16_000, 22_050, 44_100, 48_000],
  ],
  ['WebM', 'webm', ['-c:a', 'libopus'], [8_000, 16_000, 24_000, 48_000]],
  ['WebM of a live stream', 'webm', ['-c:a', 'libopus', '-live', '1'], [8_000, 16_000, 24_000, 48_000]],
  ['Matroska', 'mka', ['-c:a', 'libvorbis'], [16_000, 22_050, 44_100, 48_000]],
  ['ADTS', 'aac', [], [16_000, 22_050, 44_100, 48_000]],
]
const SECONDS = [0.3, 2.17, 11]

function made(name: string, extension: string, args: readonly string[]): string {
  const path = join(folder, `${name}.${extension}`)
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...args, path])
  return path
}

/** Seconds as ffprobe says: of its packets, as it only estimates the length of files without a header. */
function probed(path: string): number {
  const given = execFileSync('ffprobe', ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', path])
  const packets = execFileSync('ffprobe', [
    ...[
      '-v',
      'error',
      '-select_streams',
      'a:0',
      '-show_entries',
      'packet=pts_time,duration_time',
      '-of',
      'csv=p=0',
      path,
    ],
  ])
  const ends = String(packets)
    .trim()
    .split('\n')
    .map((line) => line.split(',').map(Number))
    .map(([at = 0, length = 0]) => at + (Number.isNaN(length) ? 0 : length))
  const stated = Number(String(given).trim())
  return /\.(?:aac|mp3)$/.test(path) || Number.isNaN(stated) ? Math.max(...ends) : stated
}

function sourceOf(path: string) {
  const bytes = readFileSync(path)
  return { size: bytes.length, bytes: async (start: number, end: number) => bytes.subarray(start, end) }
}

describe.skipIf(!hasPrograms)('The length of a file that ffmpeg wrote', { tags: ['full'], timeout: 120_000 }, () => {
  it.each(CONTAINERS)('agrees with ffprobe within 50 ms: %s', async (name, extension, args, rates) => {
    const wrong: string[] = []
    for (const rate of rates)
      for (const seconds of SECONDS) {
        const sound = ['-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=${rate}:duration=${seconds}`]
        const channels = rates.indexOf(rate) % 2 === 0 ? '1' : '2'
        const path = made(`${name}-${rate}-${seconds}`, extension, [
          ...sound,
          '-ac',
          channels,
          '-ar',
          String(rate),
          ...args,
        ])
        const facts = await audioFacts(sourceOf(path))
        const expected = probed(path) * 1_000
        if (Math.abs((facts?.milliseconds ?? Number.NaN) - expected) <= 50) continue
        wrong.push(`${rate} Hz, ${seconds} s: ${facts?.kind} ${facts?.milliseconds}, ffprobe ${expected}`)
      }
    expect(wrong).toEqual([])
  })
})
