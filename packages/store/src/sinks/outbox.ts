import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { beginRun, runsIn } from '../journal/process-run.ts'
import { segmentFile, segmentsOf } from '../journal/segment.ts'
import { type SyncedFile, synced } from '../journal/sync.ts'

/** Rows of this process that wait for a sink, on disk. */
export interface SinkOutbox {
  /** Id of the folder with this process's rows. */
  readonly run: string
  /**
   * Appends lines before it returns. If the backlog is full or cannot be written, the lines are left out and counted.
   * @param lines complete lines with their line feeds @param rows number of lines
   */
  add(lines: Buffer, rows: number): void
  /** Called when rows of the backlog were removed. */
  removed(): void
  close(): void
}

export interface OutboxOptions {
  /** Folder of the sink. */
  readonly folder: string
  /** Name of the sink, for messages. */
  readonly name: string
  /** Maximum bytes of waiting rows of all processes with this data directory. */
  readonly maxBacklog: number
  onProblem(message: string): void
  /** Called when rows were added. */
  onRows(): void
}

/** Maximum bytes of a segment. */
const SEGMENT = 8 * 1024 * 1024
/** The backlog has at least this number of segments, so that sent ones can be deleted. */
const SEGMENTS = 8
/** Time between two measurements of the backlog, in milliseconds. */
const MEASURED = 1_000
/** File with the number of rows that a process left out. */
const LEFT_OUT = 'left-out'
const DIGITS = 16

/** Folder of a sink in a data directory. */
export function sinkFolder(dataDir: string, name: string): string {
  return join(dataDir, 'exports', name)
}

interface OutboxState extends OutboxOptions {
  readonly runFolder: string
  segment: number
  file: number | undefined
  sync: SyncedFile | undefined
  written: number
  /** Bytes of the backlog; approximate between measurements. */
  bytes: number
  measuredAt: number
  leftOut: number
  isFull: boolean
}

/** Opens an outbox with a new folder. @throws the error of the file system */
export function openOutbox(options: OutboxOptions): SinkOutbox {
  mkdirSync(options.folder, { recursive: true, mode: 0o700 })
  const { id, folder: runFolder, lock } = beginRun(options.folder)
  const state: OutboxState = {
    ...options,
    runFolder,
    segment: 0,
    file: undefined,
    sync: undefined,
    written: 0,
    bytes: 0,
    measuredAt: Number.NEGATIVE_INFINITY,
    leftOut: 0,
    isFull: false,
  }
  return {
    run: id,
    add: (lines, rows) => add(state, lines, rows),
    removed: () => {
      state.measuredAt = Number.NEGATIVE_INFINITY
    },
    close() {
      state.sync?.close()
      state.sync = undefined
      state.file = undefined
      lock.release()
    },
  }
}

function add(state: OutboxState, lines: Buffer, rows: number): void {
  if (backlogOf(state) + lines.length > state.maxBacklog) {
    const full = `The backlog of the sink ${state.name} is full (${state.maxBacklog} bytes). New usage rows are left out of it.`
    leaveOut(state, rows, `${full} Requests are not affected.`)
    return
  }
  try {
    append(state, lines)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    leaveOut(state, rows, `Usage rows are left out of the sink ${state.name}: ${reason}`)
    return
  }
  state.bytes += lines.length
  if (state.isFull) state.onProblem(`Usage rows reach the backlog of the sink ${state.name} again.`)
  state.isFull = false
  state.onRows()
}

function append(state: OutboxState, lines: Buffer): void {
  const limit = Math.min(SEGMENT, Math.ceil(state.maxBacklog / SEGMENTS))
  if (state.file === undefined || state.written >= limit) beginSegment(state)
  const { file } = state
  if (file === undefined) return
  let done = 0
  try {
    while (done < lines.length) done += writeSync(file, lines, done)
  } catch (error) {
    // An incomplete line must not be continued by the next one.
    if (done > 0) state.written = Number.POSITIVE_INFINITY
    throw error
  }
  state.written += lines.length
  state.sync?.wrote()
}

function beginSegment(state: OutboxState): void {
  const file = openSync(segmentFile(state.runFolder, state.segment + 1), 'ax', 0o600)
  state.sync?.retire()
  state.segment++
  state.file = file
  state.written = 0
  state.sync = synced(file, {
    fsync: 'interval',
    folder: state.runFolder,
    onError: (error) =>
      state.onProblem(`Rows of the sink ${state.name} may not survive a power loss: ${String(error)}`),
  })
}

function leaveOut(state: OutboxState, rows: number, message: string): void {
  if (!state.isFull) state.onProblem(message)
  state.isFull = true
  state.leftOut += rows
  try {
    const file = openSync(join(state.runFolder, LEFT_OUT), 'w', 0o600)
    writeSync(file, String(state.leftOut).padStart(DIGITS, '0'))
    closeSync(file)
  } catch {
    // The count of this process run is lost if it ends now.
  }
}

function backlogOf(state: OutboxState): number {
  const now = performance.now()
  if (now - state.measuredAt < MEASURED) return state.bytes
  state.measuredAt = now
  state.bytes = backlogBytes(state.folder)
  return state.bytes
}

/** Bytes of all segments of a sink. */
export function backlogBytes(folder: string): number {
  let bytes = 0
  for (const run of runsIn(folder))
    for (const segment of segmentsOf(join(folder, run))) bytes += segmentSize(join(folder, run), segment)
  return bytes
}

/** Bytes of a segment; 0 if it is gone. */
export function segmentSize(folder: string, segment: number): number {
  return statSync(segmentFile(folder, segment), { throwIfNoEntry: false })?.size ?? 0
}

/** Number of rows that a process run left out. */
export function leftOutOf(runFolder: string): number {
  try {
    return Number(readFileSync(join(runFolder, LEFT_OUT), 'utf8')) || 0
  } catch {
    return 0
  }
}

export function forgetLeftOut(runFolder: string): void {
  rmSync(join(runFolder, LEFT_OUT), { force: true })
}
