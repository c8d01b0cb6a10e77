import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { EMPTY, PGLITE } from './install.ts'

/**
 * Makes an empty database, and keeps its files. Whoever reads them never reads half of them: other runs may begin at
 * the same time.
 */
const { PGlite } = await import(pathToFileURL(join(PGLITE, 'dist/index.js')).href)
const database = new PGlite()
await database.waitReady
const files: Blob = await database.dumpDataDir('none')
await database.close()
const unfinished = `${EMPTY}.${process.pid}`
writeFileSync(unfinished, await files.bytes())
renameSync(unfinished, EMPTY)
