import "./page.css"
import type { ProgramInstance } from "@edp/domain/programs/ProgramInstance"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { formatTime } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { Button } from "../../kit/Button.tsx"
import { Dialog } from "../../kit/Dialog.tsx"
import { DialogForm } from "../../kit/DialogForm.tsx"
import { TextAreaField, TextField } from "../../kit/Field.tsx"
import { Card, Facts } from "../../kit/components.tsx"
import { Table } from "../../kit/Table.tsx"
import { kitMessages } from "../../kit/messages.ts"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"
import { ProgramClient } from "./queries.ts"
import { messages } from "./messages.ts"

interface Props {
  readonly instance: ProgramInstance
}

const Form = ({ instance, onClose }: Props & { readonly onClose: () => void }) => {
  const t = useMessages(messages)
  const kit = useMessages(kitMessages)
  const toast = useToast()
  const call = useApi(ProgramClient)
  const [title, setTitle] = useState(instance.title)
  const [description, setDescription] = useState(instance.description)
  const [eligibilityCriteria, setCriteria] = useState(instance.eligibilityCriteria)
  const [programTerms, setTerms] = useState(instance.programTerms)
  const { run, busy, problem } = useAction(() =>
    call(
      (client) =>
        client.programInstances.update({
          params: { id: instance.id },
          payload: { title, description, eligibilityCriteria, programTerms }
        }),
      ["programInstances"]
    )
  )
  const refused = problem?.kind === "refused" ? problem.details : {}
  const submit = async () => {
    if ((await run()) === undefined) return
    toast.done(t.saved)
    onClose()
  }
  return (
    <DialogForm act={{ busy, problem }} action={kit.save} onSubmit={submit} onCancel={onClose}>
      <TextField
        label={t.title}
        value={title}
        onChange={setTitle}
        problem={refused["title"]}
        required
        maxLength={255}
      />
      <TextAreaField
        label={t.description}
        value={description}
        onChange={setDescription}
        problem={refused["description"]}
      />
      <TextAreaField
        label={t.criteria}
        value={eligibilityCriteria}
        onChange={setCriteria}
        problem={refused["eligibilityCriteria"]}
      />
      <TextAreaField
        label={t.terms}
        hint={t.termsChanged}
        rows={10}
        value={programTerms}
        onChange={setTerms}
        problem={refused["programTerms"]}
      />
    </DialogForm>
  )
}

/** The messages that people read and accept, and the times at which enrollments are taken. */
export const Terms = ({ instance }: Props) => {
  const t = useMessages(messages)
  const language = useLanguage()
  const [editing, setEditing] = useState(false)
  return (
    <>
      <Card
        title={t.terms}
        actions={
          <Button small icon="pen" onClick={() => setEditing(true)}>
            {t.editTerms}
          </Button>
        }
      >
        <div className="stack">
          <Facts
            items={[
              [t.version, instance.termsVersion],
              [t.criteria, instance.eligibilityCriteria],
              [t.description, instance.description]
            ]}
          />
          {instance.programTerms === "" ? (
            <p className="muted">{t.noTerms}</p>
          ) : (
            <p className="program-terms">{instance.programTerms}</p>
          )}
        </div>
      </Card>
      <Card flush title={t.periods}>
        <Table
          caption={t.periods}
          rows={instance.enrollmentPeriods}
          id={(row) => row.deadline}
          columns={[
            {
              id: "deadline",
              header: t.deadline,
              isName: true,
              cell: (row) => formatTime(language, Date.parse(row.deadline))
            },
            { id: "active", header: t.activates, cell: (row) => formatTime(language, Date.parse(row.activatesAt)) }
          ]}
          empty={<p className="muted program-note">{t.anyTime}</p>}
        />
      </Card>
      <Dialog open={editing} onClose={() => setEditing(false)} title={t.terms} wide>
        <Form instance={instance} onClose={() => setEditing(false)} />
      </Dialog>
    </>
  )
}
