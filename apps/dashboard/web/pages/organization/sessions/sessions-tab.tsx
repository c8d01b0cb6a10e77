import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { LogOut } from 'lucide-react'
import { useMemo } from 'react'
import { type AnswerOf, ask } from '../../../api/ask.ts'
import { Button, IconButton } from '../../../components/button.tsx'
import { Chip } from '../../../components/chip.tsx'
import { Loaded } from '../../../components/states.tsx'
import { toast, toastProblem } from '../../../components/toasts.tsx'
import { Time } from '../../../components/values.tsx'
import { counted } from '../../../formats/numbers.ts'
import type { Column } from '../../../table/columns.ts'
import { Table } from '../../../table/table.tsx'
import { agentName } from './agent.ts'

type Session = AnswerOf<'GET /sessions'>['items'][number]

const METHODS: Readonly<Record<string, string>> = {
  password: 'password',
  passkey: 'passkey',
  oidc: 'your provider',
  link: 'a link',
}
const SESSIONS = ['sessions']

/** Where one is signed in oneself. */
export function SessionsTab() {
  const client = useQueryClient()
  const query = useQuery({
    queryKey: SESSIONS,
    queryFn: ({ signal }) => ask('GET /sessions', { signal, query: { limit: 100 } }),
  })
  const again = () => client.invalidateQueries({ queryKey: SESSIONS })
  const { mutate: end } = useMutation({
    mutationFn: ({ id }: Session) => ask('DELETE /sessions/{session}', { params: { session: id } }),
    onSuccess: (_, { agent }) => {
      toast(`The session in ${agentName(agent)} has ended.`)
      return again()
    },
    onError: toastProblem,
  })
  const endOthers = useMutation({
    mutationFn: () => ask('DELETE /sessions'),
    onSuccess: () => {
      toast('All your other sessions have ended.')
      return again()
    },
    onError: toastProblem,
  })
  const columns = useMemo(() => sessionColumns(end), [end])
  const others = (query.data?.items.length ?? 1) - 1
  return (
    <>
      <div className="mb-3 flex min-h-8 flex-wrap items-center justify-between gap-3">
        <p className="text-muted">Where you are signed in. 7 days without use end a session, 30 days in any case.</p>
        {others > 0 && (
          <Button look="danger" onClick={() => endOthers.mutate()} isBusy={endOthers.isPending}>
            End {counted(others, 'other session')}
          </Button>
        )}
      </div>
      <Loaded query={query} rows={3}>
        {(data) => <Table label="Your sessions" columns={columns} rows={data.items} idOf={({ id }: Session) => id} />}
      </Loaded>
    </>
  )
}

function sessionColumns(onEnd: (session: Session) => void): readonly Column<Session>[] {
  return [
    {
      id: 'agent',
      title: 'Browser',
      isName: true,
      cell: ({ agent, isThis }) => (
        <span title={agent}>
          {agentName(agent)} {isThis && <Chip tone="good">this one</Chip>}
        </span>
      ),
    },
    { id: 'address', title: 'Address', from: 'sm', width: '11rem', cell: ({ address }) => <Plain text={address} /> },
    { id: 'method', title: 'Signed in by', from: 'md', width: '8rem', cell: ({ method }) => METHODS[method] ?? method },
    { id: 'created', title: 'Since', from: 'lg', width: '8rem', cell: ({ createdAt }) => <Time at={createdAt} /> },
    { id: 'seen', title: 'Last used', width: 'clamp(5.5rem, 18vw, 8rem)', cell: ({ seenAt }) => <Time at={seenAt} /> },
    { id: 'ends', title: 'Ends', from: 'md', width: '8rem', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    {
      id: 'more',
      title: 'Actions',
      isTitleHidden: true,
      width: '3rem',
      // The one in which one looks is ended by signing out.
      cell: (session) =>
        !session.isThis && (
          <IconButton label={`End the session in ${agentName(session.agent)}`} onClick={() => onEnd(session)}>
            <LogOut aria-hidden size={14} />
          </IconButton>
        ),
    },
  ]
}

function Plain({ text }: { readonly text: string | undefined }) {
  return text === undefined ? <span className="text-muted">unknown</span> : <span title={text}>{text}</span>
}
