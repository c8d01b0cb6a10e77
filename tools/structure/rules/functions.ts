import { isGenerated } from '../../catalogue/models-file.ts'
import type { Rule } from '../problem.ts'
import type { SourceFile } from '../source.ts'

const LIMIT = 80
/** A state machine of a stream is easier to follow in one piece. */
const CODEC_LIMIT = 120

/** Functions above the limit, with the lines they may have until somebody splits them. Nothing is added here. */
const TO_SPLIT: Readonly<Record<string, number>> = {
  'apps/server/src/cluster/crew.ts#createCrew': 118,
  'apps/server/src/cluster/worker.ts#serveAsWorker': 106,
  'apps/server/src/service/metrics.ts#createMetrics': 180,
  'apps/server/src/service/service.ts#startService': 205,
  'bench/filled-store.ts#fillHour': 88,
  'packages/accounts/src/api/api.ts#createManagementApi': 123,
  'packages/gateway/src/edge/fetch.ts#fetchSink': 97,
  'packages/gateway/src/families/chat/stream.ts#streamConsumer': 174,
  'packages/gateway/src/families/chat/web-search/answer.ts#askSearching': 132,
  'packages/gateway/src/families/chat/web-search/round.ts#roundConsumer': 134,
  'packages/gateway/src/families/chat/web-search/transcript.ts#createTranscript': 92,
  'packages/gateway/src/families/search/engines.ts#createEngines': 83,
  'packages/gateway/src/gateway.ts#createGatewayOf': 227,
  'packages/gateway/src/http/fetch-upstream.ts#startCall': 82,
  'packages/gateway/src/http/upstream.ts#createUpstreams': 138,
  'packages/gateway/src/http/upstream.ts#call': 116,
  'packages/gateway/src/cost/spending/memory.ts#memoryBudgets': 124,
  'packages/gateway/src/cost/spending/spending.ts#createSpending': 116,
  'packages/gateway/src/serve/tasks/tasks.ts#createTasks': 92,
  'packages/gateway/src/routing/rate-limits/counters.ts#memoryCounters': 87,
  'packages/store/src/budgets/asking.ts#createAsking': 144,
  'packages/store/src/budgets/book.ts#createBook': 132,
  'packages/store/src/budgets/engine.ts#createBudgets': 247,
  'packages/store/src/journal/journal.ts#begin': 179,
  'packages/store/src/ledger/ledger.ts#createLedger': 92,
  'packages/store/src/store.ts#openStore': 143,
  'packages/store/src/threads/writer.ts#createWriterCalls': 101,
}

/** Limits the lines of code of each function. Comments and empty lines do not count, nor do tests. */
export const functions: Rule = ({ files }) => files.filter((file) => !isExempt(file)).flatMap(tooLong)

function isExempt(file: SourceFile): boolean {
  return isGenerated(file) || /(?:^|\/)test\//.test(file.path)
}

function tooLong({ path, functions }: SourceFile) {
  const limit = isCodec(path) ? CODEC_LIMIT : LIMIT
  return functions.flatMap(({ value, line, codeLines }) => {
    const allowed = TO_SPLIT[`${path}#${value}`] ?? limit
    if (codeLines <= allowed) return []
    const message = `${value} has ${codeLines} lines of code, ${allowed} are allowed: move one of its steps into a function`
    return [{ rule: 'functions', path, line, message }]
  })
}

function isCodec(path: string): boolean {
  return (
    path.startsWith('packages/core/src/formats/') || /^packages\/providers\/[^/]+\/src\/[^/]+\/stream\.ts$/.test(path)
  )
}
