import { useState } from 'react'
import { SelectField } from '../../../components/field.tsx'
import { Empty, Note } from '../../../components/states.tsx'
import { LABELS } from '../../../labels.ts'
import { useHandedOver } from '../../../replay/handed-over.ts'
import { CodePart } from '../code/code-part.tsx'
import { ModelBar } from '../model-bar.tsx'
import { Fold } from '../panel-fold.tsx'
import { ChatColumn } from './column.tsx'
import { Composer } from './composer.tsx'
import { type PlaygroundRequest, sentTurns, type UserTurn } from './conversation.ts'
import { CostBound } from './cost-bound.tsx'
import { type ChatDraft, readDraft } from './draft.ts'
import { PresetsMenu } from './presets-menu.tsx'
import { chatsOf, draftOf } from './recorded.ts'
import { SettingsForm } from './settings-form.tsx'
import { NO_CHAT, useChats } from './use-chats.ts'

export interface ChatProps {
  readonly models: readonly string[]
  readonly known: readonly string[]
  readonly project: string | undefined
  onModels(models: readonly string[]): void
}

const WIDTHS = ['', '', 'md:grid-cols-2', 'md:grid-cols-3', 'sm:grid-cols-2 lg:grid-cols-4'] as const
/** The settings are next to the chat if the window is wide enough. */
const COLUMNS = { few: 'md:grid-cols-[minmax(0,1fr)_20rem]', many: 'xl:grid-cols-[minmax(0,1fr)_20rem]' } as const

/** Chat with up to four models side by side. */
export function ChatPart({ models, known, project, onModels }: ChatProps) {
  const recorded = useHandedOver()
  const [draft, setDraft] = useState<ChatDraft>(() => draftOf(recorded))
  const { chats, areBusy, send, reply, again, stop, clear } = useChats(project, chatsOf(recorded))
  const { settings, wrong } = readDraft(draft)
  const change = (part: Partial<ChatDraft>): void => setDraft((before) => ({ ...before, ...part }))
  const next: UserTurn = { role: 'user', text: draft.prompt, files: draft.files }
  const hasNext = draft.prompt.trim() !== '' || draft.files.length > 0
  const isRight = Object.keys(wrong).length === 0
  const requestOf = (model: string) => {
    const turns = chats[model]?.turns ?? []
    const before = turns.at(-1)?.role === 'user' && hasNext ? turns.slice(0, -1) : turns
    return { ...settings, model, turns: hasNext ? [...before, next] : before }
  }
  const canSend = hasNext && isRight && models.length > 0
  return (
    <div className="flex flex-col gap-4">
      {recorded?.isPartial && (
        <Note look="plain">Images, files, and calls of tools of the recorded request are not part of it.</Note>
      )}
      <div className="flex flex-wrap items-end justify-between gap-2">
        <ModelBar key={models.join()} models={models} known={known} onChange={onModels} />
        <PresetsMenu settings={draft} onApply={change} />
      </div>
      <div className={`grid items-start gap-4 ${models.length > 2 ? COLUMNS.many : COLUMNS.few}`}>
        <div className="flex min-w-0 flex-col gap-4">
          {models.length === 0 ? (
            <Empty title="Select a model">Type the name of a model above.</Empty>
          ) : (
            <div className={`grid items-start gap-3 ${WIDTHS[models.length] ?? ''}`}>
              {models.map((model) => (
                <ChatColumn
                  key={model}
                  model={model}
                  chat={chats[model] ?? NO_CHAT}
                  isBusy={chats[model]?.isBusy ?? false}
                  onReply={(turn) => reply(model, turn, settings)}
                  onAgain={() => again(model, settings)}
                  onStop={() => stop(model)}
                />
              ))}
            </div>
          )}
          <div className="z-10 md:sticky md:bottom-0 md:bg-bg md:pb-3">
            <Composer
              {...{ prompt: draft.prompt, files: draft.files, isBusy: areBusy, canSend }}
              note={
                canSend ? (
                  <CostBound requests={models.map(requestOf)} project={project} />
                ) : (
                  !isRight && 'A setting is not valid.'
                )
              }
              onChange={change}
              onSend={() => {
                send(models, next, settings)
                change({ prompt: '', files: [] })
              }}
              onStop={() => stop()}
              onClear={Object.keys(chats).length > 0 ? clear : undefined}
            />
          </div>
        </div>
        <div className="flex flex-col gap-2">
          <SettingsForm {...{ draft, settings, wrong }} onChange={change} />
        </div>
      </div>
      <CodeFold models={models} requestOf={requestOf} />
    </div>
  )
}

interface CodeFoldProps {
  readonly models: readonly string[]
  requestOf(model: string): PlaygroundRequest
}

/** Request to one of the models as code. */
function CodeFold({ models, requestOf }: CodeFoldProps) {
  const [asCode, setAsCode] = useState<string>()
  const shown = models.find((model) => model === asCode) ?? models[0]
  if (shown === undefined) return null
  const request = requestOf(shown)
  return (
    <Fold title="Code" note={shown}>
      {models.length > 1 && (
        <div className="max-w-60">
          <SelectField
            label={LABELS.model}
            choices={models.map((model) => ({ value: model, title: model }))}
            value={shown}
            onPick={setAsCode}
          />
        </div>
      )}
      <CodePart request={{ ...request, turns: sentTurns(request.turns) }} />
    </Fold>
  )
}
