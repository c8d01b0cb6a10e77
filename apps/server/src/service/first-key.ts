import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { enabledEntries } from '@headgate/discovery'
import type { Gateway, ProviderEntry } from '@headgate/gateway'
import type { Keys, StoredKey } from '@headgate/store'
import { EVERYTHING } from '@headgate/store'
import { z } from 'zod'
import type { Settings } from '../config/settings.ts'
import type { Management } from '../management/management.ts'
import { firstKeyText } from './banner.ts'
import { firstLinkText, noAccountText, placeText } from './first-link.ts'
import type { Inventory } from './inventory.ts'

const modelList = z.object({ data: z.array(z.object({ id: z.string() })) })

export interface FirstKeyFacts {
  readonly settings: Settings
  readonly keys: Keys
  readonly gateway: Gateway
  readonly inventory: Inventory
  readonly url: string
  /** Absent if accounts are disabled. */
  readonly management?: Pick<Management, 'accounts' | 'address'> | undefined
  /** Prints the key; otherwise the key is written to a file in the data directory. */
  readonly print: boolean
}

/**
 * Creates the first key and a link to the first account if there are no keys, and returns the text to print. Otherwise
 * returns the number of keys.
 */
export async function firstKey({
  settings,
  keys,
  gateway,
  inventory,
  url,
  management,
  print,
}: FirstKeyFacts): Promise<string> {
  const stored = await keys.list()
  if (settings.keys.length > 0 || stored.length > 0) {
    return `${countText(settings, stored.filter(isValid).length)}${await noAccountText(settings, management)}`
  }
  const { key } = await keys.create({ name: 'first key', ...EVERYTHING })
  if (!print) {
    const file = join(settings.dataDir, 'first-api-key')
    writeFileSync(file, `${key}\n`, { mode: 0o600 })
    return `\nYour API key is in ${file}\n\n${await firstLinkText({ settings, management, print })}`
  }
  await gateway.ready()
  const known = settingsModel(settings) ?? knownModel(enabledEntries(inventory.providers))
  const model = known ?? (await listedModel(gateway, key))
  const text = firstKeyText({ key, url, model, searches: inventory.search !== undefined })
  return `${text}${await firstLinkText({ settings, management, print })}`
}

/** Text for an operator who has no key or has lost it. */
function countText(settings: Settings, stored: number): string {
  const { length: configured } = settings.keys
  const count = stored + configured
  const said = `${count} API ${count === 1 ? 'key is' : 'keys are'} valid${configured === 0 ? '' : `, ${configured} of them configured`}`
  return `\n${said}. API keys cannot be shown again. Create another one: headgate keys create${placeText(settings)}\n\n`
}

function isValid({ revokedAt, expiresAt }: StoredKey): boolean {
  return revokedAt === undefined && (expiresAt === undefined || expiresAt > Date.now())
}

function settingsModel({ config }: Settings): string | undefined {
  return Object.keys(config.models ?? {})[0]
}

/** Chat model that surely exists: the configuration or the adapter's package names it. */
function knownModel(providers: readonly ProviderEntry[]): string | undefined {
  const chat = providers.filter(({ provider }) => provider.chat)
  const names = chat.map(
    ({ provider, models }) =>
      (models ? (Array.isArray(models) ? models : Object.keys(models)) : provider.known?.map(({ id }) => id))?.[0],
  )
  return names.find((name) => name !== undefined)
}

/** First model of the gateway's own list. */
async function listedModel(gateway: Gateway, key: string): Promise<string | undefined> {
  const answer = await gateway.fetch(
    new Request('http://127.0.0.1/v1/models', { headers: { authorization: `Bearer ${key}` } }),
  )
  if (!answer.ok) return undefined
  const list = modelList.safeParse(await answer.json())
  return list.data?.data[0]?.id
}
