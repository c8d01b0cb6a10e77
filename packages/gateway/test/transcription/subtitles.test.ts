import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TranscriptSegment, TranscriptWord } from '@headgate/core/contract'
import { afterAll, describe, expect, it } from 'vitest'
import { cuesOf, srtOf, vttOf } from '../../src/families/transcription/cues.ts'

/** Python with `pysubs2` and `webvtt-py`. */
const PYTHON = process.env['HEADGATE_PYTHON'] ?? 'python3'
const hasPython = spawnSync(PYTHON, ['-c', 'import pysubs2, webvtt']).status === 0
const hasFfmpeg = spawnSync('ffmpeg', ['-version']).status === 0
const folder = mkdtempSync(join(tmpdir(), 'headgate-subtitles-'))
afterAll(() => rmSync(folder, { recursive: true }))

interface Cue {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Cues that break careless writers: times in the text, empty lines, numbers, tags, hours, cues without a length. */
const HOSTILE: readonly TranscriptSegment[] = [
  { text: ' Hello there. ', start: 0, end: 1.2 },
  { text: '00:00:01,000 --> 00:00:02,000', start: 1.2, end: 2.0004 },
  { text: 'First line\r\n\r\n\r\n2\r\nlast line', start: 2.5, end: 3 },
  { text: '42', start: 3, end: 3 },
  { text: '  \n ', start: 3, end: 4 },
  { text: 'NOTE this is no comment', start: 59.999, end: 60.0004 },
  { text: 'separated\u2028\u2028by others\u0085\u0085here', start: 61, end: 62 },
  { text: '狐 & 🦊 im Wald', start: 3_599.9996, end: 3_601 },
  { text: 'overlaps', start: 3_600.5, end: 3_600.75 },
  { text: 'late', start: 359_998.5, end: 359_999.999 },
]

/** Texts and times in milliseconds that readers must find. */
const DUE: readonly Cue[] = [
  { text: 'Hello there.', start: 0, end: 1_200 },
  { text: '00:00:01,000 ->\n00:00:02,000', start: 1_200, end: 2_000 },
  { text: 'First line\n2\nlast line', start: 2_500, end: 3_000 },
  { text: '42', start: 3_000, end: 3_001 },
  { text: 'NOTE this is no comment', start: 59_999, end: 60_000 },
  { text: 'separated by others here', start: 61_000, end: 62_000 },
  { text: '狐 & 🦊 im Wald', start: 3_600_000, end: 3_601_000 },
  { text: 'overlaps', start: 3_600_500, end: 3_600_750 },
  { text: 'late', start: 359_998_500, end: 359_999_999 },
]

const PYSUBS = `
import json, sys, pysubs2
subs = pysubs2.load(sys.argv[1], encoding="utf-8")
print(json.dumps([{"text": line.plaintext, "start": line.start, "end": line.end} for line in subs]))
`

const WEBVTT = `
import html, json, sys, webvtt
cues = webvtt.from_srt(sys.argv[1]) if sys.argv[1].endswith(".srt") else webvtt.read(sys.argv[1])
def ms(time):
    hours, minutes, seconds = ("0:" * (2 - time.count(":")) + time).split(":")
    return round(((int(hours) * 60 + int(minutes)) * 60 + float(seconds)) * 1000)
print(json.dumps([{"text": html.unescape(cue.text), "start": ms(cue.start), "end": ms(cue.end)} for cue in cues]))
`

function written(name: string, content: string): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

function python(script: string, path: string): unknown {
  const { status, stdout, stderr } = spawnSync(PYTHON, ['-c', script, path], { encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(status).toBe(0)
  return JSON.parse(stdout) as unknown
}

/** Subtitles as ffmpeg reads and writes them. */
function ffmpeg(path: string): string {
  const args = ['-v', 'warning', '-i', path, '-f', 'srt', '-']
  const { status, stdout, stderr } = spawnSync('ffmpeg', args, { encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(status).toBe(0)
  return stdout.replace(/\r/g, '')
}

describe('Subtitles', () => {
  it.runIf(hasPython)('in SubRip are read by pysubs2 and webvtt-py', () => {
    const path = written('a.srt', srtOf(HOSTILE))
    expect(python(PYSUBS, path)).toEqual(DUE)
    expect(python(WEBVTT, path)).toEqual(DUE)
  })

  it.runIf(hasPython)('in WebVTT are read by webvtt-py and pysubs2', () => {
    const path = written('a.vtt', vttOf(HOSTILE))
    expect(python(WEBVTT, path)).toEqual(DUE)
    const found = python(PYSUBS, path) as Cue[]
    expect(found.map(({ start, end }) => [start, end])).toEqual(DUE.map(({ start, end }) => [start, end]))
  })

  it.runIf(hasFfmpeg)('of both formats are read by ffmpeg, which writes the same ones', () => {
    const [srt, vtt] = [ffmpeg(written('b.srt', srtOf(HOSTILE))), ffmpeg(written('b.vtt', vttOf(HOSTILE)))]
    const timesIn = (text: string) => [...text.matchAll(/^(\d+:\d\d:\d\d,\d{3}) --> (\d+:\d\d:\d\d,\d{3})/gm)]
    const due = timesIn(srtOf(HOSTILE)).map(([times]) => times)
    expect(due).toHaveLength(DUE.length)
    for (const one of [srt, vtt]) {
      expect(timesIn(one).map(([times]) => times)).toEqual(due)
      for (const { text } of DUE) expect(one).toContain(text)
    }
  })

  it('are built from words: by sentences, pauses, speakers and length', () => {
    const words: TranscriptWord[] = []
    const say = (text: string, start: number, speaker = 'a') =>
      void words.push({ text, start, end: start + 0.3, speaker })
    for (const [at, text] of ['It', 'works.', 'Next', 'sentence'].entries()) say(text, at * 0.4)
    say('pause', 3)
    say('other', 3.4, 'b')
    for (let at = 0; at < 40; at++) say('word', 4 + at * 0.4, 'b')
    const cues = cuesOf({ text: '', words }) ?? []
    expect(cues.slice(0, 4).map(({ text }) => text.slice(0, 13))).toEqual([
      'It works.',
      'Next sentence',
      'pause',
      'other word wo',
    ])
    for (const { start, end, text } of cues) {
      expect(end - start).toBeLessThanOrEqual(7)
      expect(text.length).toBeLessThanOrEqual(84)
    }
    expect(cues.flatMap(({ text }) => text.split(' '))).toEqual(words.map(({ text }) => text))
  })

  it('join words of scripts without spaces, but not words beside them', () => {
    const texts = ['我', '喜欢', '狐狸。', 'Headgate', '和', '狐狸']
    const words = texts.map((text, at) => ({ text, start: at * 0.5, end: at * 0.5 + 0.4 }))
    expect(cuesOf({ text: '', words })?.map(({ text }) => text)).toEqual(['我喜欢狐狸。', 'Headgate 和狐狸'])
  })
})
