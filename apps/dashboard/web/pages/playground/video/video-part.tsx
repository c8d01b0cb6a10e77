import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { UserError } from '../../../api/problem.ts'
import { Button } from '../../../components/button.tsx'
import { SelectField, TextArea, TextField } from '../../../components/field.tsx'
import { Empty, Failed, Skeleton } from '../../../components/states.tsx'
import { toastProblem } from '../../../components/toasts.tsx'
import { LABELS } from '../../../labels.ts'
import { dataUrl, isImage } from '../chat/conversation.ts'
import type { EmbeddingsPartProps } from '../embeddings/embeddings-part.tsx'
import { attachmentOf, FileButton } from '../files.tsx'
import { ModelBar } from '../model-bar.tsx'
import { completeCall } from '../wire/call.ts'
import { TASKS, taskBody, tasksOf, type VideoDraft } from './task.ts'
import { TaskView } from './task-view.tsx'

const NO_VIDEO: VideoDraft = { prompt: '', ratio: '', resolution: '', duration: '', seed: '', image: '' }
const choices = (values: readonly string[]) => [
  { value: '', title: LABELS.modelDefault },
  ...values.map((value) => ({ value, title: value })),
]
const RATIOS = choices(['16:9', '9:16', '1:1', '4:3', '3:4', '21:9'])
const RESOLUTIONS = choices(['480p', '720p', '1080p'])

/** Form that creates videos, and the tasks of the user. */
export function VideoPart({ model, known, project, onModels }: EmbeddingsPartProps) {
  const client = useQueryClient()
  const key = ['playground', 'videos', project]
  const list = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => completeCall({ method: 'GET', path: TASKS, query: { page_size: '20' }, project, signal }),
    staleTime: 5_000,
  })
  const refresh = () => client.invalidateQueries({ queryKey: key })
  const tasks = tasksOf(list.data?.answer)
  return (
    <div className="grid items-start gap-6 md:grid-cols-[22rem_minmax(0,1fr)]">
      <VideoForm {...{ model, known, project, onModels }} onCreated={refresh} />
      <section aria-labelledby="videos" className="flex min-w-0 flex-col gap-3">
        <h2 id="videos" className="text-lead font-semibold">
          Your videos (last 7 days)
        </h2>
        {list.isPending && <Skeleton rows={4} height="64px" />}
        {list.error && <Failed error={list.error} retry={() => void list.refetch()} />}
        {list.data && tasks.length === 0 && (
          <Empty title="No videos yet" command='headgate video "a cat surfing" --model demo --out cat.mp4' />
        )}
        <ul className="flex flex-col gap-3">
          {tasks.map((task) => (
            <li key={task.id}>
              <TaskView task={task} project={project} onChanged={() => void refresh()} />
            </li>
          ))}
        </ul>
      </section>
    </div>
  )
}

interface VideoFormProps extends EmbeddingsPartProps {
  onCreated(): Promise<void>
}

function VideoForm({ model, known, project, onModels, onCreated }: VideoFormProps) {
  const [draft, setDraft] = useState(NO_VIDEO)
  const change = (part: Partial<VideoDraft>): void => setDraft((before) => ({ ...before, ...part }))
  const create = useMutation({
    mutationFn: () =>
      completeCall({ method: 'POST', path: TASKS, body: JSON.stringify(taskBody(model ?? '', draft)), project }),
    onSuccess: onCreated,
  })
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        create.mutate()
      }}
    >
      <ModelBar key={model} models={model === undefined ? [] : [model]} known={known} most={1} onChange={onModels} />
      <TextArea label="Prompt" rows={4} required value={draft.prompt} onText={(prompt) => change({ prompt })} />
      <ShapeFields draft={draft} onChange={change} />
      <FirstFrame image={draft.image} onImage={(image) => change({ image })} />
      {create.error && <Failed error={create.error} />}
      <Button
        type="submit"
        look="primary"
        className="self-start"
        isBusy={create.isPending}
        disabled={model === undefined || draft.prompt.trim() === ''}
      >
        Generate video
      </Button>
    </form>
  )
}

interface ShapeFieldsProps {
  readonly draft: VideoDraft
  onChange(change: Partial<VideoDraft>): void
}

function ShapeFields({ draft, onChange }: ShapeFieldsProps) {
  return (
    <div className="grid grid-cols-2 gap-3">
      <SelectField label="Aspect ratio" choices={RATIOS} value={draft.ratio} onPick={(ratio) => onChange({ ratio })} />
      <SelectField
        label="Resolution"
        choices={RESOLUTIONS}
        value={draft.resolution}
        onPick={(resolution) => onChange({ resolution })}
      />
      <TextField
        label="Seconds"
        inputMode="numeric"
        placeholder="default"
        value={draft.duration}
        onText={(duration) => onChange({ duration })}
      />
      <TextField
        label="Seed"
        inputMode="numeric"
        placeholder={LABELS.none}
        value={draft.seed}
        onText={(seed) => onChange({ seed })}
      />
    </div>
  )
}

/** First frame of the video. @param image data URL; empty = none */
function FirstFrame({ image, onImage }: { readonly image: string; onImage(image: string): void }) {
  const read = async ([file]: readonly File[]): Promise<void> => {
    if (!file) return
    try {
      const attachment = await attachmentOf(file)
      if (!isImage(attachment)) throw new UserError('The first frame must be an image.')
      onImage(dataUrl(attachment))
    } catch (error) {
      toastProblem(error)
    }
  }
  if (image === '')
    return (
      <FileButton accept="image/*" className="self-start" onFiles={(files) => void read(files)}>
        Add first frame
      </FileButton>
    )
  return (
    <div className="flex items-end gap-2">
      <img src={image} alt="First frame" className="max-h-24 rounded-field" />
      <Button look="quiet" onClick={() => onImage('')}>
        {LABELS.remove}
      </Button>
    </div>
  )
}
