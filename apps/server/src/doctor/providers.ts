import type { UpstreamError } from '@headgate/core/provider'
import { PROVIDERS, type ProviderState, variablesSet } from '@headgate/discovery'
import type { ProviderEntry, ProviderInstance } from '@headgate/gateway'
import { checkProvider, type ProviderCheck } from '@headgate/gateway/operate'
import type { Environment } from '../config/substitution.ts'
import type { Inventory } from '../service/inventory.ts'
import type { ClockOffset } from './clock.ts'
import type { DoctorFinding } from './finding.ts'

export interface ProviderFindings {
  readonly findings: readonly DoctorFinding[]
  readonly readings: readonly ClockOffset[]
}

/** Calls the model list of every endpoint of every enabled provider, all at the same time. */
export async function checkProviders(
  { providers, families }: Pick<Inventory, 'providers' | 'families'>,
  environment: Environment,
): Promise<ProviderFindings> {
  const used = providers.flatMap(({ entry, ...state }) =>
    entry ? endpointsOf({ ...state, entry, serves: PROVIDERS.families(entry, families) }) : [],
  )
  const checked = await Promise.all(
    used.map(async (state) => ({ state, checkup: await checkProvider(state.provider) })),
  )
  return {
    findings: [
      ...checked.flatMap(({ state, checkup }) =>
        [judge(state, checkup, environment), ...judgeFamilies(state, checkup)].map((judgement) => ({
          about: state.about,
          ...judgement,
        })),
      ),
      ...(used.every(isLastResort) ? [NOBODY] : []),
    ],
    readings: checked.flatMap(({ state: { about }, checkup }) =>
      checkup?.aheadMs === undefined ? [] : { name: about, aheadMs: checkup.aheadMs },
    ),
  }
}

type UsedProvider = Omit<ProviderState, 'entry'> & { readonly entry: ProviderEntry; readonly serves: readonly string[] }

/** Endpoint of a provider, or a provider that is a single endpoint. */
type UsedEndpoint = UsedProvider & {
  /** Subject of its finding. */
  readonly about: string
  readonly provider: ProviderInstance
  /** Location in the configuration. */
  readonly path: string
}

type Judgement = Omit<DoctorFinding, 'about'>

const NOBODY: DoctorFinding = {
  state: 'note',
  about: 'providers',
  text: 'none is configured',
  advice: 'Set the API key of a provider. `headgate adapters` lists the variables.',
}

/** Maximum number of characters quoted from a provider. */
const LONGEST = 300

function endpointsOf(state: UsedProvider): UsedEndpoint[] {
  const { name, entry } = state
  const path = `providers.${name}`
  const { endpoints = [] } = entry
  if (endpoints.length < 2) return [{ ...state, about: name, provider: entry.provider, path }]
  return endpoints.map(({ name: endpoint, provider = entry.provider }) => ({
    ...state,
    about: `${name}/${endpoint}`,
    provider,
    path: `${path} (endpoint ${endpoint})`,
  }))
}

function isLastResort({ adapter }: UsedProvider): boolean {
  return adapter.description.enable === 'last-resort'
}

function judge(state: UsedEndpoint, checkup: ProviderCheck | undefined, environment: Environment): Judgement {
  const { provider } = state
  if (checkup?.error) return judgeError(state, checkup.error, checkup.status, environment)
  if (checkup)
    return {
      state: 'ok',
      text: `${provider.credential.kind === 'none' ? 'responds' : 'accepts the credential'} and returned its model list${servedBy(state)}`,
    }
  if (provider.baseUrl === undefined) return { state: 'ok', text: `runs in this process${servedBy(state)}` }
  return { state: 'note', text: 'not checked: it has no model list, and other calls cost money' }
}

function servedBy({ serves }: UsedProvider): string {
  return serves.length > 0 ? `; serves ${serves.join(', ')}` : ''
}

/** Maximum number of models that a finding names. */
const MODELS = 3

/**
 * Families without a model in the provider's list. Only complete lists count, and only families with models that the
 * adapter knows. Chat is left out, because unknown models are usually chat models. Models of the configuration can be
 * deployments that no list has.
 */
function judgeFamilies({ provider, serves, entry }: UsedEndpoint, checkup: ProviderCheck | undefined): Judgement[] {
  if (!checkup?.list || entry.models) return []
  const { models, missing } = checkup.list
  const absent = new Set(missing.map(({ id }) => id))
  const ofFamily = (family: string) => (provider.known ?? []).filter(({ families }) => families?.includes(family))
  const without = serves.filter(
    (family) =>
      family !== 'chat' &&
      ofFamily(family).length > 0 &&
      ofFamily(family).every(({ id }) => absent.has(id)) &&
      !models.some(({ families }) => families?.includes(family)),
  )
  if (without.length === 0) return []
  const examples = without.map((family) => ofFamily(family)[0]?.id).slice(0, MODELS)
  return [
    {
      state: 'note',
      text: `its model list has no known model for ${without.join(', ')}`,
      advice: `Check that the account has access, for example to ${examples.join(', ')}. Requests for these models may fail.`,
    },
  ]
}

function judgeError(
  state: UsedEndpoint,
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
        text: `rejected the credential${said}`,
        advice: `Check ${places}: the key and its permissions.`,
      }
    case 'our-quota':
      return {
        state: 'wrong',
        text: `reports that the account has no quota left${said}`,
        advice: 'Add credit there, or use another account.',
      }
    case 'rate-limited':
      return { state: 'note', text: `accepts the credential, but is rate limited now${said}` }
    case 'internal':
      return {
        state: 'wrong',
        text: `its adapter failed${said}`,
        advice: `Check ${places}, and look for a newer version of ${state.adapter.package.name}.`,
      }
  }
  if (status === undefined) {
    return {
      state: 'wrong',
      text: `does not respond${said}`,
      advice: `Check the network, HTTPS_PROXY, and the base URL: ${address}`,
    }
  }
  if (status < 500) return judgeList(state, said, address)
  return { state: 'wrong', text: `fails${said}`, advice: 'Try again later. Requests to this provider fail.' }
}

/** Single-line quote of a provider's message, without control characters. */
function quoted(message: string): string {
  return message.replace(/[\s\p{Cc}]+/gu, ' ').slice(0, LONGEST)
}

/**
 * Finding for a provider that answers with something else than a model list. If the configuration has a list, none is
 * needed.
 */
function judgeList({ name, entry: { models } }: UsedEndpoint, said: string, address: string): Judgement {
  const text = `responds, but not with a model list${said}`
  if (models) return { state: 'note', text }
  return {
    state: 'wrong',
    text,
    advice: `Check the base URL (${address}). If the provider has no model list, set its models in the configuration: providers.${name}.models.`,
  }
}

/** Sources of an endpoint's configuration. */
function placesOf({ name, path, adapter, why }: UsedEndpoint, environment: Environment): string {
  const variables = name === adapter.id ? variablesSet(adapter.description, environment) : []
  const isNamed = !variables.some((variable) => why.includes(variable))
  return [...(isNamed ? [`${path} in the configuration`] : []), ...variables].join(' and ')
}

/** Base URL without parts that may contain secrets. */
function addressOf({ provider }: UsedEndpoint): string {
  const { origin, pathname } = new URL(provider.baseUrl ?? 'about:blank')
  return `${origin}${pathname.replace(/\/$/, '')}`
}
