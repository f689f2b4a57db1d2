import "./page.css"
import type { ProgramInstance } from "@edp/domain/programs/ProgramInstance"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { formatTime } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { instancesChanged, ProgramsClient } from "../../resources/programs.ts"
import { Button } from "../../kit/Button.tsx"
import { Dialog } from "../../kit/Dialog.tsx"
import { DialogForm } from "../../kit/DialogForm.tsx"
import { TextAreaField, TextField } from "../../kit/Field.tsx"
import { Card, Facts } from "../../kit/components.tsx"
import { Table } from "../../kit/Table.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"
import { useFields } from "../../kit/useFields.ts"
import { GridTerms } from "./GridTerms.tsx"

interface Props {
  readonly instance: ProgramInstance
}

const Form = ({ instance, onClose }: Props & { readonly onClose: () => void }) => {
  const t = useMessages("program")
  const kit = useMessages("kit")
  const toast = useToast()
  const call = useApi(ProgramsClient)
  const { title, description, eligibilityCriteria, programTerms } = instance
  const [payload, bind] = useFields({ title, description, eligibilityCriteria, programTerms })
  const { run, busy, problem } = useAction(() =>
    call((client) => client.programInstances.update({ params: { id: instance.id }, payload }), instancesChanged)
  )
  const field = bind(problem)
  const submit = async () => {
    if ((await run()) === undefined) return
    toast.done(t.saved)
    onClose()
  }
  return (
    <DialogForm act={{ busy, problem }} action={kit.save} onSubmit={submit} onCancel={onClose}>
      <TextField {...field("title")} label={t.title} required maxLength={255} />
      <TextAreaField {...field("description")} label={t.description} />
      <TextAreaField {...field("eligibilityCriteria")} label={t.criteria} />
      <TextAreaField {...field("programTerms")} label={t.terms} hint={t.termsChanged} rows={10} />
    </DialogForm>
  )
}

/** The messages that people read and accept, the times at which enrollments are taken, and the terms of followed programs. */
export const Terms = ({ instance }: Props) => {
  const t = useMessages("program")
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
      <GridTerms id={instance.id} />
      <Dialog open={editing} onClose={() => setEditing(false)} title={t.terms} wide>
        <Form instance={instance} onClose={() => setEditing(false)} />
      </Dialog>
    </>
  )
}
