import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { LogOut } from 'lucide-react'
import { useMemo } from 'react'
import { callApi, type ResponseOf } from '../../api/call.ts'
import { Button, IconButton } from '../../components/button.tsx'
import { Chip } from '../../components/chip.tsx'
import { Section } from '../../components/page.tsx'
import { Loaded } from '../../components/states.tsx'
import { toast, toastProblem } from '../../components/toasts.tsx'
import { Time } from '../../components/values.tsx'
import { counted } from '../../formats/numbers.ts'
import { LABELS } from '../../labels.ts'
import type { TableColumn } from '../../table/columns.ts'
import { Table } from '../../table/table.tsx'
import { agentName } from './agent.ts'

type UserSession = ResponseOf<'GET /sessions'>['items'][number]

const METHODS: Readonly<Record<string, string>> = {
  password: 'password',
  passkey: 'passkey',
  oidc: 'identity provider',
  link: 'link',
}
const SESSIONS = ['sessions']

/** Sessions of the user. */
export function Sessions() {
  const client = useQueryClient()
  const query = useQuery({
    queryKey: SESSIONS,
    queryFn: ({ signal }) => callApi('GET /sessions', { signal, query: { limit: 100 } }),
  })
  const again = () => client.invalidateQueries({ queryKey: SESSIONS })
  const { mutate: end } = useMutation({
    mutationFn: ({ id }: UserSession) => callApi('DELETE /sessions/{session}', { params: { session: id } }),
    onSuccess: (_, { agent }) => {
      toast(`Session in ${agentName(agent)} ended.`)
      return again()
    },
    onError: toastProblem,
  })
  const endOthers = useMutation({
    mutationFn: () => callApi('DELETE /sessions'),
    onSuccess: () => {
      toast('All other sessions ended.')
      return again()
    },
    onError: toastProblem,
  })
  const columns = useMemo(() => sessionColumns(end), [end])
  const others = (query.data?.items.length ?? 1) - 1
  return (
    <Section
      title="Your sessions"
      actions={
        others > 0 && (
          <Button look="danger" onClick={() => endOthers.mutate()} isBusy={endOthers.isPending}>
            End {counted(others, 'other session')}
          </Button>
        )
      }
    >
      <p className="mb-3 text-muted">A session ends after 7 days without use, and after 30 days at the latest.</p>
      <Loaded query={query} rows={3}>
        {(data) => (
          <Table label="Your sessions" columns={columns} rows={data.items} idOf={({ id }: UserSession) => id} />
        )}
      </Loaded>
    </Section>
  )
}

function sessionColumns(onEnd: (session: UserSession) => void): readonly TableColumn<UserSession>[] {
  return [
    {
      id: 'agent',
      title: 'Browser',
      isName: true,
      cell: ({ agent, isThis }) => (
        <span title={agent}>
          {agentName(agent)} {isThis && <Chip tone="good">this browser</Chip>}
        </span>
      ),
    },
    {
      id: 'address',
      title: LABELS.address,
      from: 'sm',
      width: '11rem',
      cell: ({ address }) => <Plain text={address} />,
    },
    { id: 'method', title: 'Method', from: 'md', width: '8rem', cell: ({ method }) => METHODS[method] ?? method },
    {
      id: 'created',
      title: LABELS.signedIn,
      from: 'lg',
      width: '8rem',
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
    {
      id: 'seen',
      title: LABELS.lastUsed,
      width: 'clamp(5.5rem, 18vw, 8rem)',
      cell: ({ seenAt }) => <Time at={seenAt} />,
    },
    { id: 'ends', title: LABELS.expires, from: 'md', width: '8rem', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    {
      id: 'more',
      title: LABELS.actions,
      isTitleHidden: true,
      width: '3rem',
      // The current session ends by signing out.
      cell: (session) =>
        !session.isThis && (
          <IconButton label={`End session in ${agentName(session.agent)}`} onClick={() => onEnd(session)}>
            <LogOut aria-hidden size={14} />
          </IconButton>
        ),
    },
  ]
}

function Plain({ text }: { readonly text: string | undefined }) {
  return text === undefined ? <span className="text-muted">{LABELS.unknown}</span> : <span title={text}>{text}</span>
}
