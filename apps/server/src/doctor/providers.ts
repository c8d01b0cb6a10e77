import type { UpstreamError } from '@headgate/core/provider'
import { PROVIDERS, type ProviderState, variablesSet } from '@headgate/discovery'
import type { ProviderEntry } from '@headgate/gateway'
import { type Checkup, checkProvider } from '@headgate/gateway/operate'
import type { Environment } from '../config/substitution.ts'
import type { Inventory } from '../service/inventory.ts'
import type { Reading } from './clock.ts'
import type { Finding } from './finding.ts'

export interface ProviderFindings {
  readonly findings: readonly Finding[]
  readonly readings: readonly Reading[]
}

/** Asks every provider that is used for its list of models, all at once. */
export async function checkProviders(
  { providers, families }: Pick<Inventory, 'providers' | 'families'>,
  environment: Environment,
): Promise<ProviderFindings> {
  const used = providers.flatMap(({ entry, ...state }) =>
    entry ? { ...state, entry, serves: PROVIDERS.families(entry, families) } : [],
  )
  const checked = await Promise.all(
    used.map(async (state) => ({ state, checkup: await checkProvider(state.entry.provider) })),
  )
  return {
    findings: [
      ...checked.map(({ state, checkup }) => ({ about: state.name, ...judge(state, checkup, environment) })),
      ...(used.every(isLastResort) ? [NOBODY] : []),
    ],
    readings: checked.flatMap(({ state: { name }, checkup }) =>
      checkup?.aheadMs === undefined ? [] : { name, aheadMs: checkup.aheadMs },
    ),
  }
}

type UsedProvider = Omit<ProviderState, 'entry'> & { readonly entry: ProviderEntry; readonly serves: readonly string[] }
type Judgement = Omit<Finding, 'about'>

const NOBODY: Finding = {
  state: 'note',
  about: 'providers',
  text: 'none is configured',
  advice: 'Set the key of one: `headgate adapters` names the variables.',
}

/** Most characters that are quoted of a provider. */
const LONGEST = 300

function isLastResort({ adapter }: UsedProvider): boolean {
  return adapter.description.enable === 'last-resort'
}

function judge(state: UsedProvider, checkup: Checkup | undefined, environment: Environment): Judgement {
  const { provider } = state.entry
  if (checkup?.error) return judgeError(state, checkup.error, checkup.status, environment)
  if (checkup)
    return {
      state: 'ok',
      text: `${provider.credential.kind === 'none' ? 'answers' : 'takes the credential'}, with its list of models${servedBy(state)}`,
    }
  if (provider.baseUrl === undefined)
    return { state: 'ok', text: `runs in this process: there is nothing to ask${servedBy(state)}` }
  return { state: 'note', text: 'not asked: it has no list of models, and everything else costs' }
}

function servedBy({ serves }: UsedProvider): string {
  return serves.length > 0 ? `; serves ${serves.join(', ')}` : ''
}

function judgeError(
  state: UsedProvider,
  { kind, message }: UpstreamError,
  status: number | undefined,
  environment: Environment,
): Judgement {
  const said = `${status === undefined ? '' : ` (${status})`}: ${quoted(message)}`
  const places = placesOf(state, environment)
  const address = addressOf(state)
  switch (kind) {
    case 'our-credential':
      return {
        state: 'wrong',
        text: `refuses the credential${said}`,
        advice: `Check ${places}: the key, and what it may do.`,
      }
    case 'our-quota':
      return {
        state: 'wrong',
        text: `says that the account is used up${said}`,
        advice: 'Pay there, or take another account.',
      }
    case 'rate-limited':
      return { state: 'note', text: `takes the credential, and asks to wait${said}` }
    case 'internal':
      return {
        state: 'wrong',
        text: `its adapter failed${said}`,
        advice: `Check ${places}, and whether there is a newer ${state.adapter.package.name}.`,
      }
  }
  if (status === undefined) {
    return {
      state: 'wrong',
      text: `does not answer${said}`,
      advice: `Check the network, HTTPS_PROXY, and the base URL: ${address}`,
    }
  }
  if (status < 500) return judgeList(state, said, address)
  return { state: 'wrong', text: `fails${said}`, advice: 'Try again later: requests to it fail now.' }
}

/** Words of others on one line, without what a terminal would obey. */
function quoted(message: string): string {
  return message.replace(/[\s\p{Cc}]+/gu, ' ').slice(0, LONGEST)
}

/** It answers, with something else than a list. Where the configuration has one, none is needed. */
function judgeList({ name, entry: { models } }: UsedProvider, said: string, address: string): Judgement {
  const text = `answers, but not with a list of models${said}`
  if (models) return { state: 'note', text }
  return {
    state: 'wrong',
    text,
    advice: `Check the base URL (${address}). If it has no list, name its models in the configuration: providers.${name}.models.`,
  }
}

/** Where its configuration comes from. */
function placesOf({ name, adapter, why }: UsedProvider, environment: Environment): string {
  const variables = name === adapter.id ? variablesSet(adapter.description, environment) : []
  const isNamed = !variables.some((variable) => why.includes(variable))
  return [...(isNamed ? [`providers.${name} in the configuration`] : []), ...variables].join(' and ')
}

/** Without what a URL may hold of secrets. */
function addressOf({ entry: { provider } }: UsedProvider): string {
  const { origin, pathname } = new URL(provider.baseUrl ?? 'about:blank')
  return `${origin}${pathname.replace(/\/$/, '')}`
}
