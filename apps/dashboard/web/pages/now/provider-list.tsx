import { Link } from '@tanstack/react-router'
import type { NowReport } from '../../api/now.ts'
import { useNow } from '../../components/now.ts'
import { Section } from '../../components/page.tsx'
import { Time } from '../../components/values.tsx'
import { failureText } from '../../failures.ts'
import { duration } from '../../formats/durations.ts'
import { CallStrip } from '../providers/call-strip.tsx'
import { LastError } from '../providers/last-error.tsx'
import { byNeed, healthText, isInTrouble } from '../providers/providers.ts'
import { ProviderState } from '../providers/state-chip.tsx'
import { callName, callsOf } from './sums.ts'

/** Maximum number of providers without trouble in the list. */
const OTHERS = 8

/** Providers by urgency, with their calls of the last hour, their last error and their cooldowns. */
export function ProviderList({ of: { providers, cooldowns, minutes } }: { readonly of: NowReport }) {
  const now = useNow()
  const sorted = byNeed(providers)
  const troubled = sorted.filter(isInTrouble)
  const shown = [...troubled, ...sorted.filter((one) => !isInTrouble(one)).slice(0, OTHERS)]
  return (
    <Section title="Providers" actions={<Link to="/providers">All providers</Link>}>
      {shown.length === 0 && <p className="text-muted">No provider is enabled.</p>}
      <ul className="flex flex-col divide-y divide-line">
        {shown.map((one) => (
          <li key={`${one.kind}/${one.name}`} className="flex flex-col gap-1 py-2 first:pt-0 last:pb-0">
            <div className="flex items-center gap-4">
              <p className="flex min-w-0 grow flex-wrap items-center gap-x-2">
                <Link to="/providers" search={{ row: one.name }} className="truncate font-medium">
                  {one.name}
                </Link>
                <ProviderState of={one} now={now} />
                {one.since !== undefined && (
                  <span className="text-small text-muted">
                    since <Time at={one.since} />
                  </span>
                )}
              </p>
              <span className="w-40 shrink-0 max-sm:hidden">
                <CallStrip of={callsOf(callName(one), minutes)} />
              </span>
            </div>
            <p className="text-small text-muted">{healthText(one)}</p>
            {isInTrouble(one) && one.lastError && <LastError of={one.lastError} />}
            <Cooldowns of={cooldowns.filter(({ provider }) => provider === one.name)} now={now} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

/** Maximum number of cooldowns of a provider in the list. */
const COOLDOWNS = 5

interface CooldownsProps {
  readonly of: NowReport['cooldowns']
  readonly now: number
}

function Cooldowns({ of, now }: CooldownsProps) {
  const active = of.filter(({ until }) => until > now)
  if (active.length === 0) return null
  const texts = active.slice(0, COOLDOWNS).map(({ endpoint, model, until, kind }) => {
    const place = [endpoint, model].filter((part) => part !== undefined).join(' ') || 'all models'
    return `${place} for ${duration(until - now)}${kind === undefined ? '' : ` (${failureText(kind)})`}`
  })
  const rest = active.length - texts.length
  return (
    <p className="text-small wrap-anywhere">
      Cooldown: {texts.join(', ')}
      {rest > 0 && ` and ${rest} more`}
    </p>
  )
}
