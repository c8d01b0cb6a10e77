import { nearest } from '@headgate/core/provider'
import { enabledEntries } from '@headgate/discovery'
import { pathText } from '@headgate/discovery/config'
import { type KnownModels, knownModels } from '@headgate/gateway/operate'
import type { Inventory } from '../service/inventory.ts'
import { aliasModels } from './aliases.ts'
import type { Settings } from './settings.ts'

type ProviderStates = Inventory['providers']

/**
 * Warnings about valid but probably mistaken entries, one sentence each: alias targets that no provider has, and unused
 * prices. Based on what is known before providers return their model lists.
 */
export function modelWarnings(
  { config: { models = {}, prices = {} } }: Settings,
  { providers }: Pick<Inventory, 'providers'>,
): string[] {
  const known = knownModels(enabledEntries(providers))
  const targets = Object.entries(models).flatMap(([name, alias]) =>
    aliasModels(alias).map((target) => ({ alias: name, target })),
  )
  return [
    ...targets.flatMap(({ alias, target }) => {
      const warning = targetWarning(target, known, providers, Object.keys(models))
      return warning === undefined ? [] : [`${pathText(['models', alias])}: ${warning}`]
    }),
    ...Object.keys(prices).flatMap((name) => {
      const warning = priceWarning(name, known, providers)
      return warning === undefined ? [] : [`${pathText(['prices', name])}: ${warning}`]
    }),
  ]
}

function targetWarning(
  target: string,
  known: KnownModels,
  providers: ProviderStates,
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

function priceWarning(name: string, known: KnownModels, providers: ProviderStates): string | undefined {
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

function offText(name: string, providers: ProviderStates): string | undefined {
  const off = providers.find((state) => !state.entry && name.startsWith(`${state.name}/`))
  return off && `. The provider ${off.name} is not enabled: ${off.why}.`
}

function meant(near: string | undefined): string {
  return near === undefined ? '.' : `. Did you mean ${quoted(near)}?`
}

function quoted(name: string): string {
  return JSON.stringify(name)
}
