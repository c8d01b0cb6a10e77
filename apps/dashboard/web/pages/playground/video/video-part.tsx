import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button, buttonClass } from '../../../components/button.tsx'
import { SelectField, TextArea, TextField } from '../../../components/field.tsx'
import { Empty, Failed, Skeleton } from '../../../components/states.tsx'
import { toastProblem } from '../../../components/toasts.tsx'
import { dataUrl, isImage } from '../chat/conversation.ts'
import { attachmentOf } from '../chat/files.ts'
import type { EmbeddingsPartProps } from '../embeddings/embeddings-part.tsx'
import { ModelBar } from '../model-bar.tsx'
import { askPlain } from '../wire/plain.ts'
import { TASKS, taskBody, tasksOf, type VideoDraft } from './task.ts'
import { TaskView } from './task-view.tsx'

const NO_VIDEO: VideoDraft = { prompt: '', ratio: '', resolution: '', duration: '', seed: '', image: '' }
const choices = (values: readonly string[]) => [
  { value: '', title: 'As the model has it' },
  ...values.map((value) => ({ value, title: value })),
]
const RATIOS = choices(['16:9', '9:16', '1:1', '4:3', '3:4', '21:9'])
const RESOLUTIONS = choices(['480p', '720p', '1080p'])

/** Videos: what is asked for, and the tasks of one's own. */
export function VideoPart({ model, known, project, onModels }: EmbeddingsPartProps) {
  const [draft, setDraft] = useState(NO_VIDEO)
  const change = (part: Partial<VideoDraft>): void => setDraft((before) => ({ ...before, ...part }))
  const client = useQueryClient()
  const key = ['playground', 'videos', project]
  const list = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => askPlain({ method: 'GET', path: TASKS, query: { page_size: '20' }, project, signal }),
    staleTime: 5_000,
  })
  const create = useMutation({
    mutationFn: () =>
      askPlain({ method: 'POST', path: TASKS, body: JSON.stringify(taskBody(model ?? '', draft)), project }),
    onSuccess: () => client.invalidateQueries({ queryKey: key }),
  })
  const tasks = tasksOf(list.data?.answer)
  const read = async (file: File | undefined): Promise<void> => {
    if (!file) return
    try {
      const image = await attachmentOf(file)
      if (!isImage(image)) throw new Error('The first frame is an image.')
      change({ image: dataUrl(image) })
    } catch (error) {
      toastProblem(error)
    }
  }
  return (
    <div className="grid items-start gap-6 md:grid-cols-[22rem_minmax(0,1fr)]">
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate()
        }}
      >
        <ModelBar key={model} models={model === undefined ? [] : [model]} known={known} most={1} onChange={onModels} />
        <TextArea
          label="What it shows"
          rows={4}
          required
          value={draft.prompt}
          onChange={({ target }) => change({ prompt: target.value })}
        />
        <div className="grid grid-cols-2 gap-3">
          <SelectField
            label="Ratio"
            choices={RATIOS}
            value={draft.ratio}
            onChange={({ target }) => change({ ratio: target.value })}
          />
          <SelectField
            label="Resolution"
            choices={RESOLUTIONS}
            value={draft.resolution}
            onChange={({ target }) => change({ resolution: target.value })}
          />
          <TextField
            label="Seconds"
            inputMode="numeric"
            placeholder="as the model"
            value={draft.duration}
            onChange={({ target }) => change({ duration: target.value })}
          />
          <TextField
            label="Seed"
            inputMode="numeric"
            placeholder="none"
            value={draft.seed}
            onChange={({ target }) => change({ seed: target.value })}
          />
        </div>
        {draft.image === '' ? (
          <label
            className={buttonClass(
              'plain',
              'cursor-pointer self-start focus-within:outline-2 focus-within:outline-accent',
            )}
          >
            Add a first frame
            <input
              type="file"
              accept="image/*"
              className="sr-only"
              onChange={({ target }) => void read(target.files?.[0])}
            />
          </label>
        ) : (
          <div className="flex items-end gap-2">
            <img src={draft.image} alt="First frame" className="max-h-24 rounded-field" />
            <Button look="quiet" onClick={() => change({ image: '' })}>
              Take it out
            </Button>
          </div>
        )}
        {create.error && <Failed error={create.error} />}
        <Button
          type="submit"
          look="primary"
          className="self-start"
          isBusy={create.isPending}
          disabled={model === undefined || draft.prompt.trim() === ''}
        >
          Make a video
        </Button>
      </form>
      <section aria-labelledby="videos" className="flex min-w-0 flex-col gap-3">
        <h2 id="videos" className="text-lead font-semibold">
          Your videos of the last 7 days
        </h2>
        {list.isPending && <Skeleton rows={4} height="64px" />}
        {list.error && <Failed error={list.error} retry={() => void list.refetch()} />}
        {list.data && tasks.length === 0 && (
          <Empty title="None yet" command='headgate video "a cat surfing" --model demo --out cat.mp4' />
        )}
        <ul className="flex flex-col gap-3">
          {tasks.map((task) => (
            <li key={task.id}>
              <TaskView
                task={task}
                project={project}
                onChanged={() => void client.invalidateQueries({ queryKey: key })}
              />
            </li>
          ))}
        </ul>
      </section>
    </div>
  )
}
