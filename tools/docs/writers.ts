import type { z } from 'zod'
import type { ProviderMeta } from '../../packages/core/src/contract/provider.ts'
import type { BackendMeta } from '../../packages/core/src/contract/search.ts'
import { accessLine } from './access-line.ts'
import { amendmentsTable } from './amendments.ts'
import { backendsTable, localIndexKeys, searchParametersTable } from './backends.ts'
import type { BlockWriter } from './blocks.ts'
import { claimsTable } from './claims.ts'
import { agentsTable, librariesTable } from './clients.ts'
import { commands } from './commands.ts'
import { configKeys } from './config-keys.ts'
import { errorShapes, errorWords, streamErrors } from './error-shapes.ts'
import { failureMatrix } from './failure-matrix.ts'
import { failuresTable } from './failures.ts'
import { allProvidersTable, familiesTable } from './families.ts'
import { firstStart } from './first-start.ts'
import { formatsTable, scenariosTable } from './formats.ts'
import { hintsTable } from './hints.ts'
import { interfaceTable } from './interface-table.ts'
import { keyRightsTable } from './key-rights.ts'
import { lostExample } from './lost.ts'
import { matrixTables } from './matrix.ts'
import { messagesTable } from './messages.ts'
import { genAiMetricsTable, metricsTable } from './metrics.ts'
import { pathsTable } from './paths.ts'
import { providersTable } from './providers.ts'
import { bodyRefusals, readerRefusals } from './refusals.ts'
import { signatureCarriers } from './signatures.ts'
import { sinkColumnsTable, sinkTables } from './sinks.ts'
import { spanAttributesTable } from './spans.ts'
import { attemptColumns, hourColumns, usageColumns } from './usage-columns.ts'
import { videoTable } from './video.ts'

/** Members of the description that only providers have. */
const ONLY_PROVIDERS: Readonly<Record<Exclude<keyof ProviderMeta<z.ZodType>, keyof BackendMeta<z.ZodType>>, true>> = {
  claims: true,
  genAiName: true,
  probe: true,
}

/** Writer of each generated block. */
export const WRITERS: Readonly<Record<string, BlockWriter>> = {
  'access-line': accessLine,
  agents: agentsTable,
  'all-providers': allProvidersTable,
  amendments: amendmentsTable,
  'attempt-columns': attemptColumns,
  'backend-members': () => interfaceTable('core/src/contract/search.ts', 'Backend'),
  'backend-meta': () => interfaceTable('core/src/contract/provider.ts', 'ProviderMeta', Object.keys(ONLY_PROVIDERS)),
  'body-refusals': bodyRefusals,
  claims: claimsTable,
  'clients-java': () => librariesTable('java'),
  'clients-javascript': () => librariesTable('javascript'),
  'clients-python': () => librariesTable('python'),
  'clients-runtimes': () => librariesTable('runtimes'),
  commands,
  'chat-support': () => interfaceTable('core/src/contract/chat.ts', 'ChatSupport'),
  'config-keys': configKeys,
  'error-shapes': errorShapes,
  'error-words': errorWords,
  failures: failuresTable,
  families: familiesTable,
  'failure-matrix': () => failureMatrix(),
  'first-start': firstStart,
  'gateway-options': () => interfaceTable('gateway/src/ports/gateway-options.ts', 'GatewayOptions'),
  formats: () => formatsTable(),
  'gen-ai-metrics': genAiMetricsTable,
  hints: hintsTable,
  'hour-columns': hourColumns,
  'key-rights': keyRightsTable,
  'local-index': localIndexKeys,
  lost: lostExample,
  matrix: () => matrixTables(),
  messages: messagesTable,
  metrics: metricsTable,
  paths: pathsTable,
  'preset-options': () => interfaceTable('core/src/presets/openai-compatible.ts', 'ServerOptions'),
  'video-support': () => interfaceTable('core/src/contract/video.ts', 'VideoSupport'),
  'video-abilities': () => interfaceTable('core/src/contract/video.ts', 'VideoCapabilities'),
  'task-options': () => interfaceTable('gateway/src/ports/tasks.ts', 'TaskOptions'),
  'spending-options': () => interfaceTable('gateway/src/ports/gateway-options.ts', 'SpendingOptions'),
  'provider-members': () => interfaceTable('core/src/contract/provider.ts', 'Provider'),
  'provider-meta': () => interfaceTable('core/src/contract/provider.ts', 'ProviderMeta'),
  providers: providersTable,
  'reader-refusals': readerRefusals,
  scenarios: () => scenariosTable(),
  'sink-columns': sinkColumnsTable,
  'sink-tables': sinkTables,
  'span-attributes': spanAttributesTable,
  'search-backends': backendsTable,
  'search-item': () => interfaceTable('core/src/contract/search.ts', 'SearchItem'),
  'search-page': () => interfaceTable('core/src/contract/search.ts', 'SearchPage'),
  'search-parameters': searchParametersTable,
  'search-query': () => interfaceTable('core/src/contract/search.ts', 'SearchQuery'),
  'signature-carriers': signatureCarriers,
  'stream-errors': streamErrors,
  'usage-columns': usageColumns,
  videos: videoTable,
}
