import type { Program } from "@edp/domain/programs/Program"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { Dialog } from "../../kit/Dialog.tsx"
import { DialogForm } from "../../kit/DialogForm.tsx"
import { SelectField, TextAreaField, TextField } from "../../kit/Field.tsx"
import { ListedOf } from "../../kit/ListedOf.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { Notice } from "../../kit/components.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"
import { allProgramsQuery, ProgramsClient } from "./queries.ts"
import { SlugField } from "./SlugField.tsx"
import { messages } from "./messages.ts"

interface Props {
  readonly open: boolean
  readonly onClose: () => void
}

const Form = ({ programs, onClose }: { readonly programs: ReadonlyArray<Program> } & Pick<Props, "onClose">) => {
  const t = useMessages(messages)
  const toast = useToast()
  const navigate = useNavigate()
  const call = useApi(ProgramsClient)
  const [programSlug, setProgram] = useState(programs[0]?.slug ?? "")
  const [title, setTitle] = useState("")
  const [slug, setSlug] = useState("")
  const [description, setDescription] = useState("")
  const [eligibilityCriteria, setCriteria] = useState("")
  const [programTerms, setTerms] = useState("")
  const { run, busy, problem } = useAction(() =>
    call(
      (client) =>
        client.programInstances.create({
          payload: { programSlug, slug, title, description, eligibilityCriteria, programTerms }
        }),
      ["programInstances"]
    )
  )
  const refused = problem?.kind === "refused" ? problem.details : {}
  const submit = async () => {
    const instance = await run()
    if (instance === undefined) return
    toast.done(t.createdInstance(instance.title))
    onClose()
    await navigate({ to: "/dashboard/programs/$id", params: { id: instance.id } })
  }
  if (programs.length === 0) return <Notice state="info">{t.noProgramToRun}</Notice>
  return (
    <DialogForm act={{ busy, problem }} action={t.create} onSubmit={submit} onCancel={onClose}>
      <SelectField
        label={t.program}
        value={programSlug}
        options={programs.map(({ name, slug: value }) => ({ value, label: name }))}
        onChange={setProgram}
        problem={refused["programSlug"]}
      />
      <TextField
        label={t.titleLabel}
        value={title}
        onChange={setTitle}
        problem={refused["title"]}
        required
        maxLength={255}
      />
      <SlugField value={slug} onChange={setSlug} problem={refused["slug"]} />
      <TextAreaField
        label={t.description}
        value={description}
        onChange={setDescription}
        problem={refused["description"]}
      />
      <TextAreaField
        label={t.criteria}
        hint={t.criteriaHint}
        value={eligibilityCriteria}
        onChange={setCriteria}
        problem={refused["eligibilityCriteria"]}
      />
      <TextAreaField
        label={t.terms}
        hint={t.termsHint}
        value={programTerms}
        onChange={setTerms}
        problem={refused["programTerms"]}
      />
    </DialogForm>
  )
}

/** Creates an instance of a program. */
export const InstanceDialog = ({ open, onClose }: Props) => {
  const t = useMessages(messages)
  return (
    <Dialog open={open} onClose={onClose} title={t.newInstance}>
      <Loaded query={allProgramsQuery}>
        {({ data, totalItems }) => (
          <>
            <Form programs={data.filter(({ active }) => active)} onClose={onClose} />
            <ListedOf shown={data.length} total={totalItems} />
          </>
        )}
      </Loaded>
    </Dialog>
  )
}
