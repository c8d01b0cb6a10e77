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
import { LABELS } from '../../../labels.ts'
import { webAddress } from '../search/results.ts'
import { completeCall } from '../wire/call.ts'
import { isOver, ownAddress, type PlaygroundTask, TASKS, taskOf } from './task.ts'

/** Poll interval of a running task, in milliseconds. */
const POLL_MS = 1_500

const TONES: Readonly<Record<string, Tone>> = { succeeded: 'good', failed: 'bad', expired: 'bad', cancelled: 'warn' }

export interface TaskViewProps {
  /** Task from the list. */
  readonly task: PlaygroundTask
  readonly project: string | undefined
  onChanged(): void
}

/** Video task: its progress, then the video. */
export function TaskView({ task: listed, project, onChanged }: TaskViewProps) {
  const { data, error } = useQuery({
    queryKey: ['playground', 'video', listed.id],
    queryFn: ({ signal }) =>
      completeCall({ method: 'GET', path: `${TASKS}/${encodeURIComponent(listed.id)}`, project, signal }),
    enabled: !isOver(listed),
    refetchInterval: ({ state }) => (isOver(taskOf(state.data?.answer) ?? listed) ? false : POLL_MS),
  })
  const task = taskOf(data?.answer) ?? listed
  const { id, model, status, progress, video, createdAt } = task
  const was = useRef(status)
  useEffect(() => {
    if (was.current !== status) announce(`The video is ${status}.`)
    was.current = status
  }, [status])
  const remove = useMutation({
    mutationFn: () => completeCall({ method: 'DELETE', path: `${TASKS}/${encodeURIComponent(id)}`, project }),
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
            {status === 'queued' ? LABELS.cancel : 'Delete'}
          </Button>
        )}
      </div>
      {!isOver(task) && (
        // Without a value, the progress is indeterminate.
        <progress
          className="h-2 w-full appearance-none overflow-hidden rounded-full bg-line [&::-moz-progress-bar]:bg-data [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-data"
          aria-label={`Progress of the video of ${model}`}
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
  const address = ownAddress(video, gatewayUrl())
  if (address !== undefined)
    return (
      <div className="flex flex-col items-start gap-2">
        {/* biome-ignore lint/a11y/useMediaCaption: models do not create captions. */}
        <video controls preload="metadata" src={address} className="max-h-[60dvh] max-w-full rounded-field bg-sunken" />
        <a href={address} download className={buttonClass()}>
          Download
        </a>
      </div>
    )
  const providerUrl = webAddress(video)
  return (
    <div className="flex flex-col items-start gap-2">
      <Note look="plain">
        This video is stored at its provider. Set <code>video.links: "own"</code> in the configuration to play videos
        here.
      </Note>
      {providerUrl !== undefined && (
        <a href={providerUrl} target="_blank" rel="noreferrer" className={buttonClass()}>
          Open at provider
        </a>
      )}
    </div>
  )
}
