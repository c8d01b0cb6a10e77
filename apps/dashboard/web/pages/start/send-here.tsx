import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Send } from 'lucide-react'
import { callPlayground } from '../../api/playground.ts'
import { Button } from '../../components/button.tsx'
import { Failed } from '../../components/states.tsx'
import { LABELS } from '../../labels.ts'

export interface SendHereProps {
  readonly model: string
  readonly prompt: string
  onSent(): void
}

/** Button that sends the request from this page, with the playground key of the user. */
export function SendHere({ model, prompt, onSent }: SendHereProps) {
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: async () => {
      const body = JSON.stringify({ model, messages: [{ role: 'user', content: prompt }] })
      const response = await callPlayground({ method: 'POST', path: 'v1/chat/completions', body })
      return response.headers.get('x-request-id') ?? ''
    },
    onSuccess: onSent,
  })
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <Button onClick={() => mutate()} isBusy={isPending}>
          <Send aria-hidden size={14} /> Send from this page
        </Button>
        {data === undefined ? (
          <span className="text-small text-muted">Uses your playground key. Its prompts are kept for 24 hours.</span>
        ) : (
          <span className="text-good">
            Served.{' '}
            <Link to="/requests" search={{ row: data }} className="underline">
              {LABELS.openRequest}
            </Link>
          </span>
        )}
      </div>
      {error && <Failed error={error} />}
    </div>
  )
}
