import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { callApi, type ResponseOf } from '../../api/call.ts'
import { signInMethodsQuery } from '../../api/queries.ts'
import { Button, IconButton } from '../../components/button.tsx'
import { Section } from '../../components/page.tsx'
import { toast, toastProblem } from '../../components/toasts.tsx'
import { Time } from '../../components/values.tsx'
import { confirmed } from '../../confirm/confirmed.ts'

type LinkedIdentity = ResponseOf<'GET /identities'>['items'][number]

const IDENTITIES = ['identities']

/** Identity providers of the user. Renders nothing without any. */
export function OwnProviders() {
  const client = useQueryClient()
  const providers = useQuery(signInMethodsQuery).data?.providers ?? []
  const { data } = useQuery({ queryKey: IDENTITIES, queryFn: ({ signal }) => callApi('GET /identities', { signal }) })
  const { mutate: remove } = useMutation({
    mutationFn: ({ issuer, subject }: LinkedIdentity) =>
      confirmed(() => callApi('DELETE /identities', { query: { issuer, subject } })),
    onSuccess: (_, { issuer }) => {
      toast(`${issuer} removed.`)
      return client.invalidateQueries({ queryKey: IDENTITIES })
    },
    onError: toastProblem,
  })
  const { mutate: add, isPending } = useMutation({
    mutationFn: (provider: string) =>
      confirmed(() => callApi('POST /oidc/begin', { body: { provider, returnTo: '/account' } })),
    onSuccess: ({ url }) => location.assign(url),
    onError: toastProblem,
  })
  const own = data?.items ?? []
  if (providers.length === 0 && own.length === 0) return null
  return (
    <Section title="Your identity providers">
      {own.length === 0 && <p className="mb-3 text-muted">None linked yet.</p>}
      <ul className="flex flex-col">
        {own.map((one) => (
          <li key={`${one.issuer} ${one.subject}`} className="flex items-center gap-2 py-1">
            <div className="min-w-0 grow">
              <p className="truncate" title={one.issuer}>
                {one.issuer}
              </p>
              <p className="text-small text-muted">
                last used <Time at={one.seenAt} />
              </p>
            </div>
            <IconButton label={`Remove ${one.issuer}`} onClick={() => remove(one)}>
              <Trash2 aria-hidden size={14} />
            </IconButton>
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        {providers.map(({ id, name }) => (
          <Button key={id} onClick={() => add(id)} isBusy={isPending}>
            Link {name}
          </Button>
        ))}
      </div>
    </Section>
  )
}
