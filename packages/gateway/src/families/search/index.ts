import type { Json } from '@headgate/core/canonical'
import { PARAMETERS } from '@headgate/core/contract'
import { COST, HEADERS, LOST, OBJECT, REQUEST_ID, type RouteOperation, SERVED_BY } from '../../edge/operation.ts'
import type { Family } from '../../serve/family.ts'
import { BOUND } from './bound.ts'
import { writeSearchError } from './error.ts'
import { serveSearch } from './serve.ts'
import { createSearchState } from './state.ts'
import { createWebSearch } from './web.ts'

const PATH = '/customsearch/v1'

const NUMBERS: Readonly<Record<string, Json>> = {
  num: { type: 'integer', minimum: 1, maximum: 10, default: 10 },
  start: { type: 'integer', minimum: 1, maximum: 100, default: 1 },
}
const CACHED = {
  'headgate-cached': {
    description: '`true` if the response comes from the cache.',
    schema: { type: 'string', enum: ['true'] },
  },
}

const operation: RouteOperation = {
  id: 'search',
  summary: 'Searches, in the shape of the Custom Search JSON API.',
  parameters: [
    ...HEADERS,
    ...['q', 'cx', 'num', 'start', 'siteSearchFilter', ...PARAMETERS].map((name) => ({
      name,
      in: 'query',
      required: name === 'q',
      schema: NUMBERS[name] ?? { type: 'string' },
    })),
  ],
  responses: {
    '200': {
      description: 'The search results.',
      headers: { ...REQUEST_ID, ...SERVED_BY, ...LOST, ...COST, ...CACHED },
      content: { 'application/json': OBJECT },
    },
  },
}

/** Search of the web or of configured documents. */
export const search: Family = {
  id: 'search',
  kind: 'backend',
  errors: (path) => (path.startsWith('/customsearch/') ? { writeError: writeSearchError } : undefined),
  bound: () => BOUND,
  open(core, options) {
    const family = createSearchState(options)
    if (!family) return undefined
    core.webSearch = createWebSearch(core, family)
    return {
      routes: [
        {
          method: 'GET',
          path: PATH,
          operation,
          isPaid: true,
          canDryRun: true,
          serve: (context, { query }) => serveSearch(core, family, context, { query, path: context.path }),
        },
      ],
      close: () => family.close(),
    }
  },
}
