import { queryOptions } from '@tanstack/react-query'
import { type AnswerOf, ask } from '../../api/ask.ts'

export type Provider = AnswerOf<'GET /providers'>['items'][number]
export type State = Provider['state']

/** How old what is known of providers may be, in milliseconds: rests end by themselves. */
const EVERY = 15_000

export const providersQuery = queryOptions({
  queryKey: ['providers'],
  queryFn: ({ signal }) => ask('GET /providers', { signal }),
  refetchInterval: EVERY,
})

/** Those that need a look first: what rests, then what had an error, then the rest. */
export function byNeed(all: readonly Provider[]): readonly Provider[] {
  return all.toSorted((one, other) => need(one) - need(other) || one.name.localeCompare(other.name))
}

function need({ state, lastError }: Provider): number {
  if (state === 'resting') return 0
  return lastError ? 1 : 2
}

/** A failure in one line: `overloaded, status 503, code overloaded_error`. */
export function troubleText({ kind, status, code }: NonNullable<Provider['lastError']>): string {
  return [
    kind,
    ...(status === undefined ? [] : [`status ${status}`]),
    ...(code === undefined ? [] : [`code ${code}`]),
  ].join(', ')
}

/** Whether requests go to it. */
export function isUsed({ state }: Provider): boolean {
  return state === 'up' || state === 'resting'
}

/** The variables that enable it, and whether they are set: those of keys first. */
export function variablesOf({
  variables = [],
}: Pick<Provider, 'variables'>): readonly { readonly name: string; readonly isSet: boolean }[] {
  const rank = ({ name }: { readonly name: string }): number => (/(_API_KEY|_TOKEN|_KEY)$/.test(name) ? 0 : 1)
  return [...variables].sort((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name))
}
