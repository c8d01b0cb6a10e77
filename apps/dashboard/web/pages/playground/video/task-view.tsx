import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { gatewayUrl } from '../../../app/base.ts'
import { announce } from '../../../components/announcements.tsx'
import { Button, buttonClass } from '../../../components/button.tsx'
import { Chip, type Tone } from '../../../components/chip.tsx'
import { CopyId } from '../../../components/copy.tsx'
import { Failed, Note } from '../../../components/states.tsx'
import { toastProblem } from '../../../components/toasts.tsx'
import { Time } from '../../../components/values.tsx'
import { webAddress } from '../search/results.ts'
import { askPlain } from '../wire/call.ts'
import { isOver, ownAddress, TASKS, type Task, taskOf } from './task.ts'

/** How often it is looked at while it is being made, in milliseconds. */
const OFTEN = 1_500

const TONES: Readonly<Record<string, Tone>> = { succeeded: 'good', failed: 'bad', expired: 'bad', cancelled: 'warn' }

export interface TaskViewProps {
  /** As the list has it. */
  readonly task: Task
  readonly project: string | undefined
  onChanged(): void
}

/** One video: how far it is, then the video. */
export function TaskView({ task: listed, project, onChanged }: TaskViewProps) {
  const { data, error } = useQuery({
    queryKey: ['playground', 'video', listed.id],
    queryFn: ({ signal }) =>
      askPlain({ method: 'GET', path: `${TASKS}/${encodeURIComponent(listed.id)}`, project, signal }),
    enabled: !isOver(listed),
    refetchInterval: ({ state }) => (isOver(taskOf(state.data?.answer) ?? listed) ? false : OFTEN),
  })
  const task = taskOf(data?.answer) ?? listed
  const { id, model, status, progress, video, createdAt } = task
  const was = useRef(status)
  useEffect(() => {
    if (was.current !== status) announce(`The video is ${status}.`)
    was.current = status
  }, [status])
  const remove = useMutation({
    mutationFn: () => askPlain({ method: 'DELETE', path: `${TASKS}/${encodeURIComponent(id)}`, project }),
    onSuccess: onChanged,
    onError: toastProblem,
  })
  return (
    <article aria-label={`Video of ${model}`} className="flex flex-col gap-2 rounded-panel border border-line p-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="flex min-w-0 flex-wrap items-center gap-2">
          <Chip tone={TONES[status] ?? 'plain'}>{status}</Chip>
          <span className="truncate font-medium">{model}</span>
          {createdAt !== undefined && (
            <span className="text-small text-muted">
              <Time at={createdAt} />
            </span>
          )}
          <CopyId id={id} />
        </p>
        {(status === 'queued' || isOver(task)) && (
          <Button look="quiet" isBusy={remove.isPending} onClick={() => remove.mutate()}>
            {status === 'queued' ? 'Cancel' : 'Forget it'}
          </Button>
        )}
      </div>
      {!isOver(task) && (
        // Without a value it says that nobody knows how far it is.
        <progress
          className="h-2 w-full appearance-none overflow-hidden rounded-full bg-line [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-accent"
          aria-label={`How far the video of ${model} is`}
          max={1}
          value={progress}
        />
      )}
      {error && <Failed error={error} />}
      {task.error !== '' && <Note look="bad">{task.error}</Note>}
      {status === 'succeeded' && <Player video={video} />}
    </article>
  )
}

function Player({ video }: { readonly video: string }) {
  const own = ownAddress(video, gatewayUrl())
  if (own !== undefined)
    return (
      <div className="flex flex-col items-start gap-2">
        {/* biome-ignore lint/a11y/useMediaCaption: models make no captions. */}
        <video controls preload="metadata" src={own} className="max-h-[60dvh] max-w-full rounded-field bg-sunken" />
        <a href={own} download className={buttonClass()}>
          Download
        </a>
      </div>
    )
  const elsewhere = webAddress(video)
  return (
    <div className="flex flex-col items-start gap-2">
      <Note look="plain">
        This video lies with its provider, and pages of the gateway ask no other host. With{' '}
        <code>video.links: "own"</code> it is played here.
      </Note>
      {elsewhere !== undefined && (
        <a href={elsewhere} target="_blank" rel="noreferrer" className={buttonClass()}>
          Open it there
        </a>
      )}
    </div>
  )
}
