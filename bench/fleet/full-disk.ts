import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/**
 * Preload of a program whose disk is full while the file in the query of its URL exists: nothing is written to files.
 * Root rights, which a small file system would need, are not required.
 */
const flag = new URL(import.meta.url).searchParams.get('flag') ?? ''
const { existsSync, writeSync } = fs

Object.assign(fs, {
  writeSync: (...args: Parameters<typeof writeSync>): number => {
    // Strings are messages to the terminal.
    if (ArrayBuffer.isView(args[1]) && existsSync(flag)) throw new Error('no space left on device')
    return writeSync(...args)
  },
})
syncBuiltinESMExports()
