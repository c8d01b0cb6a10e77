import { KEY_RIGHT_NAMES, KEY_RIGHTS } from '@headgate/gateway/ports/key-rights'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { budgetsQuery } from '../../api/budgets.ts'
import { type Key, keysQuery, titleOf } from '../../api/keys.ts'
import { useMay, useMe } from '../../api/me.ts'
import { useMemberNames, useProjectNames } from '../../api/names.ts'
import { BudgetMeter, leftOf } from '../../budgets/budget-meter.tsx'
import { Button } from '../../components/button.tsx'
import { Chip, EnvironmentChip, type Tone } from '../../components/chip.tsx'
import { CopyId } from '../../components/copy.tsx'
import { Fact, Facts as FactList } from '../../components/facts.tsx'
import { useNow } from '../../components/now.ts'
import { Part } from '../../components/page.tsx'
import { Peek } from '../../components/peek.tsx'
import { Loaded, Note, Skeleton } from '../../components/states.tsx'
import { FullTime, Money } from '../../components/values.tsx'
import { count } from '../../formats/numbers.ts'
import { ChangeKey, RevokeKey, RotateKey, TakeOverKey } from './key-dialogs.tsx'
import { isOpen, isUsable, type SecretState, StateChip, secretState, stateOf } from './state.tsx'
import { KeyUsage } from './usage-part.tsx'

/** A key in full: what it may do, what it has used, its secrets, and its end. */
export function KeyPanel({ id, onClose }: { readonly id: string; onClose(): void }) {
  const query = useQuery(keysQuery)
  const key = query.data?.items.find((one) => one.id === id)
  return (
    <Peek of={id} title={key ? titleOf(key) : 'Key'} onClose={onClose}>
      <Loaded query={query} rows={10}>
        {() =>
          key ? <Facts key={id} of={key} /> : <Note look="plain">There is no such key, or it is not yours.</Note>
        }
      </Loaded>
    </Peek>
  )
}

function Facts({ of }: { readonly of: Key }) {
  const now = useNow()
  const me = useMe()
  const members = useMemberNames(of.createdBy !== undefined)
  const projects = useProjectNames()
  const mayWrite = useMay('keys.write') !== undefined
  const mayTakeOver = useMay('keys.takeOver') !== undefined
  const [asked, setAsked] = useState<'change' | 'rotate' | 'revoke' | 'take-over'>()
  const { createdBy, limits } = of
  const owner = of.service ? 'a service key of the project' : 'the command line'
  const close = (): void => setAsked(undefined)
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <StateChip state={stateOf(of, now)} />
        <EnvironmentChip name={of.environment} />
        {mayWrite && isOpen(of, now) && (
          <span className="ml-auto flex flex-wrap gap-2">
            {isUsable(of, now) && <Button onClick={() => setAsked('change')}>Change</Button>}
            {isUsable(of, now) && <Button onClick={() => setAsked('rotate')}>Rotate</Button>}
            {mayTakeOver && stateOf(of, now) === 'stopped' && (
              <Button onClick={() => setAsked('take-over')}>Take over</Button>
            )}
            <Button look="danger" onClick={() => setAsked('revoke')}>
              Revoke
            </Button>
          </span>
        )}
      </div>
      {stateOf(of, now) === 'stopped' && <Note look="bad">{STOPPED[of.creator ?? 'left']}</Note>}
      <KeyUsage id={of.id} />
      <OwnBudgets of={of} now={now} />
      <Secrets of={of} now={now} />
      <Part title="What it may do">
        <FactList>
          {KEY_RIGHT_NAMES.map((name) => (
            <Fact key={name} name={KEY_RIGHTS[name].title}>
              {of[name]?.join(', ') ?? <span className="text-muted">{name === 'scopes' ? 'none' : 'not bounded'}</span>}
            </Fact>
          ))}
          <Fact name="Requests a minute">{bound(limits?.requestsPerMinute)}</Fact>
          <Fact name="Tokens a minute">{bound(limits?.tokensPerMinute)}</Fact>
          <Fact name="At the same time">{bound(limits?.concurrent)}</Fact>
        </FactList>
      </Part>
      <Part title="Who and when">
        <FactList>
          <Fact name="Project">{projects.get(of.project) ?? of.project}</Fact>
          <Fact name="Made by">
            {createdBy === undefined ? owner : createdBy === me?.id ? me.name : (members.get(createdBy) ?? createdBy)}
          </Fact>
          <Fact name="Made">
            <FullTime at={of.createdAt} />
          </Fact>
          <Fact name="Last used">{of.lastUsedAt === undefined ? 'never' : <FullTime at={of.lastUsedAt} />}</Fact>
          <Fact name="Ends">{of.expiresAt === undefined ? 'never' : <FullTime at={of.expiresAt} />}</Fact>
          {of.revokedAt !== undefined && (
            <Fact name="Revoked">
              <FullTime at={of.revokedAt} />
            </Fact>
          )}
          <Fact name="Id">
            <CopyId id={of.id} />
          </Fact>
        </FactList>
      </Part>
      {asked === 'change' && <ChangeKey of={of} onClose={close} />}
      {asked === 'rotate' && <RotateKey of={of} onClose={close} />}
      {asked === 'revoke' && <RevokeKey of={of} onClose={close} />}
      {asked === 'take-over' && <TakeOverKey of={of} onClose={close} />}
    </>
  )
}

/** Why a key stopped, by what has become of its creator. */
const STOPPED = {
  active: '',
  left: 'It stopped because the person who created it is no member any more. An owner can take it over.',
  disabled: 'It stopped because the person who created it is disabled. An owner can take it over.',
  viewer:
    'It stopped because the person who created it is a viewer, and viewers have no keys. An owner can take it over.',
} as const

const SECRET_LOOKS: Readonly<Record<SecretState, readonly [Tone, string]>> = {
  active: ['good', 'active'],
  ending: ['warn', 'works until it expires'],
  expired: ['bad', 'expired'],
  revoked: ['bad', 'revoked'],
  stopped: ['bad', 'stopped with its creator'],
}

function Secrets({ of, now }: { readonly of: Key; readonly now: number }) {
  return (
    <Part title={of.secrets.length > 1 ? 'Secrets' : 'Secret'}>
      <ul className="flex flex-col gap-1.5">
        {of.secrets.map(({ prefix, createdAt, expiresAt }) => (
          <li key={`${prefix} ${createdAt}`} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <code className="font-mono text-small">{prefix}</code>
            <SecretChip state={secretState(of, expiresAt, now)} />
            <span className="text-small text-muted">
              {expiresAt === undefined ? 'created ' : 'expires '}
              <FullTime at={expiresAt ?? createdAt} />
            </span>
          </li>
        ))}
      </ul>
    </Part>
  )
}

function SecretChip({ state }: { readonly state: SecretState }) {
  const [tone, text] = SECRET_LOOKS[state]
  return <Chip tone={tone}>{text}</Chip>
}

function OwnBudgets({ of, now }: { readonly of: Key; readonly now: number }) {
  const mayRead = useMay('budgets.read') !== undefined
  const { data } = useQuery({ ...budgetsQuery, enabled: mayRead })
  const own = data?.items.filter(({ owner }) => owner === of.id) ?? []
  if (!mayRead) return null
  return (
    <Part title="Budgets of its own">
      {!data && <Skeleton rows={1} />}
      {data && own.length === 0 && (
        <p className="text-muted">None. Those of its project and organization hold as well.</p>
      )}
      <ul className="flex flex-col gap-3">
        {own.map((budget) => (
          <li key={budget.id}>
            <p className="mb-1 flex justify-between gap-2">
              <Link to="/budgets" search={{ row: budget.id }}>
                {budget.name}
              </Link>
              <span className="text-muted">
                <Money nanos={leftOf(budget)} /> of <Money nanos={budget.limit} /> left
              </span>
            </p>
            <BudgetMeter budget={budget} now={now} />
          </li>
        ))}
      </ul>
    </Part>
  )
}

function bound(value: number | undefined): ReactNode {
  return value === undefined ? <span className="text-muted">not bounded</span> : count(value)
}
