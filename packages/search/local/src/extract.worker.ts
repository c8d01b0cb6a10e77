import { parentPort } from 'node:worker_threads'
import { extract, type Raw } from './extract/extract.ts'

parentPort?.on('message', async (raw: Raw) => {
  parentPort?.postMessage(await extract(raw))
})
