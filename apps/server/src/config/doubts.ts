import { nearest } from '@headgate/core/provider'
import { enabledEntries } from '@headgate/discovery'
import { pathText } from '@headgate/discovery/config'
import { type KnownModels, knownModels } from '@headgate/gateway/operate'
import type { Inventory } from '../service/inventory.ts'
import type { Settings } from './settings.ts'

type Providers = Inventory['providers']

/**
 * Warnings about valid but probably mistaken entries, one sentence each: alias targets that no provider has, and unused
 * prices. Based on what is known before providers return their model lists.
 */
export function modelDoubts(
  { config: { models = {}, prices = {} } }: Settings,
  { providers }: Pick<Inventory, 'providers'>,
): string[] {
  const known = knownModels(enabledEntries(providers))
  const targets = Object.entries(models).flatMap(([alias, names]) =>
    [names].flat().map((target) => ({ alias, target })),
  )
  return [
    ...targets.flatMap(({ alias, target }) => {
      const doubt = targetDoubt(target, known, providers, Object.keys(models))
      return doubt === undefined ? [] : [`${pathText(['models', alias])}: ${doubt}`]
    }),
    ...Object.keys(prices).flatMap((name) => {
      const doubt = priceDoubt(name, known, providers)
      return doubt === undefined ? [] : [`${pathText(['prices', name])}: ${doubt}`]
    }),
  ]
}

function targetDoubt(
  target: string,
  known: KnownModels,
  providers: Providers,
  aliases: readonly string[],
): string | undefined {
  const standing = known.statusOf(target)
  if (standing === 'listed') return undefined
  const near = nearest(target, known.ids)
  if (standing === 'open')
    return near && isMistyped(target, near) ? `no provider is known to list ${quoted(target)}${meant(near)}` : undefined
  if (aliases.includes(target)) return `${quoted(target)} is an alias itself, and an alias can only name models.`
  return `no provider is known to have ${quoted(target)}${offText(target, providers) ?? meant(near)}`
}

function priceDoubt(name: string, known: KnownModels, providers: Providers): string | undefined {
  if (known.priced.includes(name)) return undefined
  const near = nearest(name, known.priced) ?? known.priced.find((one) => one.endsWith(`/${name}`))
  if (known.open.some((provider) => name.startsWith(`${provider}/`)))
    return near && isMistyped(name, near) ? `no provider is known to list this model${meant(near)}` : undefined
  return `this price is unused: its name must be <provider>/<model>, with an enabled provider and the provider's own model name${offText(name, providers) ?? meant(near)}`
}

/** True if the difference looks like a typing mistake. Versions of a model usually differ only in digits. */
function isMistyped(name: string, near: string): boolean {
  const letters = (text: string) => text.replace(/\d/g, '')
  return letters(name) !== letters(near)
}

function offText(name: string, providers: Providers): string | undefined {
  const off = providers.find((state) => !state.entry && name.startsWith(`${state.name}/`))
  return off && `. The provider ${off.name} is not enabled: ${off.why}.`
}

function meant(near: string | undefined): string {
  return near === undefined ? '.' : `. Did you mean ${quoted(near)}?`
}

function quoted(name: string): string {
  return JSON.stringify(name)
}
