import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi } from '../../api/call.ts'
import { ENVIRONMENTS } from '../../api/keys.ts'
import { Button } from '../../components/button.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { Form, fieldError } from '../../components/form.tsx'
import { LABELS } from '../../labels.ts'

/** New key with its secret, which is shown only here. */
export interface CreatedKey {
  readonly id: string
  readonly secret: string
}

/** Short form for the first key. */
export function NewKey({ onCreated }: { onCreated(key: CreatedKey): void }) {
  const client = useQueryClient()
  const [name, setName] = useState('first')
  const [environment, setEnvironment] = useState('development')
  const [once] = useState(() => crypto.randomUUID?.())
  const make = useMutation({
    mutationFn: () => callApi('POST /keys', { body: { name, environment }, once }),
    // The query client would keep the secret otherwise.
    gcTime: 0,
    onSuccess: ({ key, stored }) => {
      if (key !== undefined) onCreated({ id: stored.id, secret: key })
      return client.invalidateQueries({ queryKey: ['keys'] })
    },
  })
  return (
    <Form error={make.error} fields={['name', 'environment']} onSubmit={() => make.mutate()} className="max-w-md">
      <div className="grid grid-cols-2 gap-3">
        <TextField
          label={LABELS.name}
          value={name}
          onText={setName}
          error={fieldError(make.error, 'name')}
          autoComplete="off"
        />
        <SelectField label={LABELS.environment} value={environment} onPick={setEnvironment} choices={ENVIRONMENTS} />
      </div>
      <div>
        <Button type="submit" look="primary" isBusy={make.isPending}>
          {LABELS.createKey}
        </Button>
      </div>
    </Form>
  )
}
