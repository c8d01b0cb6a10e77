import { parentPort, workerData } from 'node:worker_threads'
import { type Finder, openFinder } from './finder.ts'
import type { SearchNews, SearchOrder } from './messages.ts'

/** File of the index. */
const file: string = workerData
let finder: Finder | undefined

parentPort?.on('message', ({ id, query }: SearchOrder) => {
  parentPort?.postMessage(answer(id, query))
})

function answer(id: number, query: SearchOrder['query']): SearchNews {
  try {
    finder ??= openFinder(file)
    return { id, page: finder.find(query) }
  } catch (error) {
    // The file may have been recreated: the next search opens it again.
    finder?.close()
    finder = undefined
    return { id, message: error instanceof Error ? error.message : String(error) }
  }
}
