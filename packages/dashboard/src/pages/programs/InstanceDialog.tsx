import type { Program } from "@edp/domain/programs/Program"
import { useNavigate } from "@tanstack/react-router"
import { useApi } from "../../api/makeApi.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { allProgramsQuery, instancesChanged, ProgramsClient } from "../../resources/programs.ts"
import { Dialog } from "../../kit/Dialog.tsx"
import { DialogForm } from "../../kit/DialogForm.tsx"
import { SelectField, TextAreaField, TextField } from "../../kit/Field.tsx"
import { ListedOf } from "../../kit/ListedOf.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { Notice } from "../../kit/components.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"
import { useFields } from "../../kit/useFields.ts"
import { SlugField } from "./SlugField.tsx"

interface Props {
  readonly open: boolean
  readonly onClose: () => void
}

const Form = ({ programs, onClose }: { readonly programs: ReadonlyArray<Program> } & Pick<Props, "onClose">) => {
  const t = useMessages("programs")
  const toast = useToast()
  const navigate = useNavigate()
  const call = useApi(ProgramsClient)
  const [payload, bind] = useFields({
    programSlug: programs[0]?.slug ?? "",
    title: "",
    slug: "",
    description: "",
    eligibilityCriteria: "",
    programTerms: ""
  })
  const { run, busy, problem } = useAction(() =>
    call((client) => client.programInstances.create({ payload }), instancesChanged)
  )
  const field = bind(problem)
  const submit = async () => {
    const instance = await run()
    if (instance === undefined) return
    toast.done(t.createdInstance({ name: instance.title }))
    onClose()
    await navigate({ to: "/dashboard/programs/$id", params: { id: instance.id } })
  }
  if (programs.length === 0) return <Notice state="info">{t.noProgramToRun}</Notice>
  return (
    <DialogForm act={{ busy, problem }} action={t.create} onSubmit={submit} onCancel={onClose}>
      <SelectField
        {...field("programSlug")}
        label={t.program}
        options={programs.map(({ name, slug: value }) => ({ value, label: name }))}
      />
      <TextField {...field("title")} label={t.titleLabel} required maxLength={255} />
      <SlugField {...field("slug")} />
      <TextAreaField {...field("description")} label={t.description} />
      <TextAreaField {...field("eligibilityCriteria")} label={t.criteria} hint={t.criteriaHint} />
      <TextAreaField {...field("programTerms")} label={t.terms} hint={t.termsHint} />
    </DialogForm>
  )
}

/** Creates an instance of a program. */
export const InstanceDialog = ({ open, onClose }: Props) => {
  const t = useMessages("programs")
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
