import type { Device } from "@edp/domain/devices/Device"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { deviceChanged, DevicesClient } from "../../resources/devices.ts"
import { Button, IconButton } from "../../kit/Button.tsx"
import { TextField } from "../../kit/Field.tsx"
import { Form } from "../../kit/Form.tsx"
import { Card } from "../../kit/components.tsx"
import { ProblemNotice } from "../../kit/Problem.tsx"
import { useAction } from "../../kit/useAction.ts"

const MOST = 100

const isTag = (text: string) => [...text].length <= MOST && !text.includes(",") && text !== "." && text !== ".."

/** The tags of the device, each of which can be removed, and a field for another. */
export const TagsCard = ({ device }: { readonly device: Device }) => {
  const t = useMessages("device")
  const call = useApi(DevicesClient)
  const [text, setText] = useState("")
  const changed = deviceChanged(device.id)
  const add = useAction((tag: string) =>
    call((client) => client.devices.addTags({ params: { id: device.id }, payload: { tags: [tag] } }), changed)
  )
  const remove = useAction((tag: string) =>
    call((client) => client.devices.removeTag({ params: { id: device.id, tag } }), changed)
  )
  const submit = async () => {
    if ((await add.run(text.trim())) !== undefined) setText("")
  }
  return (
    <Card title={t.tags}>
      <div className="stack">
        {device.tags.length === 0 ? (
          <p className="muted">{t.noTags}</p>
        ) : (
          <ul className="device-tags">
            {device.tags.map((tag) => (
              <li key={tag}>
                {tag}
                <IconButton icon="cross" label={t.removeTag({ tag })} onClick={() => void remove.run(tag)} />
              </li>
            ))}
          </ul>
        )}
        {remove.problem && <ProblemNotice problem={remove.problem} />}
        <Form className="filters" onSubmit={submit}>
          <TextField
            label={t.newTag}
            value={text}
            onChange={setText}
            invalid={isTag(text.trim()) ? undefined : t.tagProblem}
            required
          />
          <Button icon="plus" type="submit" busy={add.busy}>
            {t.addTag}
          </Button>
        </Form>
        {add.problem && <ProblemNotice problem={add.problem} />}
      </div>
    </Card>
  )
}
