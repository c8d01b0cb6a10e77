import { KEY_RIGHT_NAMES, KEY_RIGHTS, KEY_SETTING_NAMES, KEY_SETTINGS } from '@headgate/gateway/ports/key-rights'
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
import { LABELS } from '../../labels.ts'
import { LIMIT_NAMES } from '../../limits/limit-draft.ts'
import { ChangeKey, RevokeKey, RotateKey, TakeOverKey } from './key-dialogs.tsx'
import { RecordingChip, RecordingPart } from './recording.tsx'
import { isOpen, isUsable, type SecretState, StateChip, secretState, stateOf } from './state.tsx'
import { KeyUsage } from './usage-part.tsx'

/** Panel of a key: usage, budgets, secrets, permissions and details. */
export function KeyPanel({ id, onClose }: { readonly id: string; onClose(): void }) {
  const query = useQuery(keysQuery)
  const key = query.data?.items.find((one) => one.id === id)
  return (
    <Peek of={id} title={key ? titleOf(key) : LABELS.key} onClose={onClose}>
      <Loaded query={query} rows={10}>
        {() => (key ? <Facts key={id} of={key} /> : <Note look="plain">Key not found, or you cannot see it.</Note>)}
      </Loaded>
    </Peek>
  )
}

/** Rights and rate limits of a key. */
function Permissions({ of }: { readonly of: Key }) {
  return (
    <Part title={LABELS.permissions}>
      <FactList>
        {KEY_RIGHT_NAMES.map((name) => (
          <Fact key={name} name={KEY_RIGHTS[name].title}>
            {of[name]?.join(', ') ?? <span className="text-muted">{name === 'scopes' ? LABELS.none : 'all'}</span>}
          </Fact>
        ))}
        {KEY_SETTING_NAMES.map((name) => (
          <Fact key={name} name={KEY_SETTINGS[name].title}>
            {of[name] ?? <span className="text-muted">{KEY_SETTINGS[name].absent}</span>}
          </Fact>
        ))}
        {LIMIT_NAMES.map((name) => (
          <Fact key={name} name={LABELS[name]}>
            {limitText(of.limits?.[name])}
          </Fact>
        ))}
      </FactList>
    </Part>
  )
}

function Facts({ of }: { readonly of: Key }) {
  const now = useNow()
  const me = useMe()
  const members = useMemberNames(of.createdBy !== undefined)
  const projects = useProjectNames()
  const mayWrite = useMay('keys.write') !== undefined
  const mayTakeOver = useMay('keys.takeOver') !== undefined
  const [dialog, setDialog] = useState<'change' | 'rotate' | 'revoke' | 'take-over'>()
  const { createdBy } = of
  const owner = of.service ? 'project (service key)' : LABELS.cli
  const close = (): void => setDialog(undefined)
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <StateChip state={stateOf(of, now)} />
        <EnvironmentChip name={of.environment} />
        <RecordingChip of={of} now={now} />
        {mayWrite && isOpen(of, now) && (
          <span className="ml-auto flex flex-wrap gap-2">
            {isUsable(of, now) && <Button onClick={() => setDialog('change')}>{LABELS.change}</Button>}
            {isUsable(of, now) && <Button onClick={() => setDialog('rotate')}>{LABELS.rotate}</Button>}
            {mayTakeOver && stateOf(of, now) === 'stopped' && (
              <Button onClick={() => setDialog('take-over')}>Take over</Button>
            )}
            <Button look="danger" onClick={() => setDialog('revoke')}>
              {LABELS.revoke}
            </Button>
          </span>
        )}
      </div>
      {stateOf(of, now) === 'stopped' && <Note look="bad">{STOPPED[of.creator ?? 'left']}</Note>}
      <KeyUsage id={of.id} />
      <OwnBudgets of={of} now={now} />
      <Secrets of={of} now={now} />
      {isUsable(of, now) && <RecordingPart of={of} now={now} />}
      <Permissions of={of} />
      <Part title="Details">
        <FactList>
          <Fact name={LABELS.project}>{projects.get(of.project) ?? of.project}</Fact>
          <Fact name={LABELS.owner}>
            {createdBy === undefined ? owner : createdBy === me?.id ? me.name : (members.get(createdBy) ?? createdBy)}
          </Fact>
          <Fact name={LABELS.created}>
            <FullTime at={of.createdAt} />
          </Fact>
          <Fact name={LABELS.lastUsed}>
            {of.lastUsedAt === undefined ? LABELS.never : <FullTime at={of.lastUsedAt} />}
          </Fact>
          <Fact name={LABELS.expires}>
            {of.expiresAt === undefined ? LABELS.never : <FullTime at={of.expiresAt} />}
          </Fact>
          {of.revokedAt !== undefined && (
            <Fact name="Revoked">
              <FullTime at={of.revokedAt} />
            </Fact>
          )}
          <Fact name={LABELS.id}>
            <CopyId id={of.id} />
          </Fact>
        </FactList>
      </Part>
      {dialog === 'change' && <ChangeKey of={of} onClose={close} />}
      {dialog === 'rotate' && <RotateKey of={of} onClose={close} />}
      {dialog === 'revoke' && <RevokeKey of={of} onClose={close} />}
      {dialog === 'take-over' && <TakeOverKey of={of} onClose={close} />}
    </>
  )
}

/** Reason why a key stopped, by the state of its creator. */
const STOPPED = {
  active: '',
  left: 'Stopped: its creator left the organization. An owner can take it over.',
  disabled: 'Stopped: its creator is disabled. An owner can take it over.',
  viewer: 'Stopped: its creator is a viewer, and viewers cannot have keys. An owner can take it over.',
} as const

const SECRET_LOOKS: Readonly<Record<SecretState, readonly [Tone, string]>> = {
  active: ['good', 'active'],
  ending: ['warn', LABELS.expiring],
  expired: ['bad', LABELS.expired],
  revoked: ['bad', 'revoked'],
  stopped: ['bad', 'stopped'],
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
    <Part title="Key budgets">
      {!data && <Skeleton rows={1} />}
      {data && own.length === 0 && (
        <p className="text-muted">None. Budgets of its project and organization also apply.</p>
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

function limitText(value: number | undefined): ReactNode {
  return value === undefined ? <span className="text-muted">{LABELS.unlimited}</span> : count(value)
}
