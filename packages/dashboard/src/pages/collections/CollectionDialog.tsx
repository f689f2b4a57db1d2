import type { Collection } from "@edp/domain/collections/Collection"
import { type CollectionType, collectionTypes, type Criteria } from "@edp/domain/collections/criteria"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { collectionChanged, CollectionsClient, collectionsChanged, previewQuery } from "../../resources/collections.ts"
import { Dialog } from "../../kit/Dialog.tsx"
import { DialogForm } from "../../kit/DialogForm.tsx"
import { CheckField, SelectField, TextField } from "../../kit/Field.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { useAction } from "../../kit/useAction.ts"
import { useFields } from "../../kit/useFields.ts"
import {
  criteriaFromForm,
  emptyCriteria,
  formFromCriteria,
  invalidField,
  type Membership,
  membership,
  memberships
} from "./collectionForm.ts"
import { CriteriaFields } from "./CriteriaFields.tsx"
import { memberName } from "./memberNames.ts"

/** The records that meet the criteria now, once the service would take these. */
const Preview = ({ type, criteria }: { readonly type: CollectionType; readonly criteria: Criteria }) => {
  const t = useMessages("collections")
  const language = useLanguage()
  if (invalidField(type, criteria) !== undefined) return null
  return (
    <div>
      <h3>{t.preview}</h3>
      <Loaded query={previewQuery(type, criteria)}>
        {({ data, totalItems }) =>
          data.length === 0 ? (
            <p className="muted">{t.noneFound}</p>
          ) : (
            <p>
              {data.map(memberName).join(", ")}{" "}
              <span className="muted">({t.found({ count: formatNumber(language, totalItems) })})</span>
            </p>
          )
        }
      </Loaded>
    </div>
  )
}

interface FormProps {
  /** The collection to change; undefined for a new one. */
  readonly stored?: Collection | undefined
  readonly onClose: () => void
  readonly onSaved: (saved: Collection) => void
}

const CollectionForm = ({ stored, onClose, onSaved }: FormProps) => {
  const t = useMessages("collections")
  const call = useApi(CollectionsClient)
  const [fields, bind] = useFields({ name: stored?.name ?? "", description: stored?.description ?? "" })
  const [type, setType] = useState<CollectionType>(stored?.collectionType ?? "DEVICE")
  const [kind, setKind] = useState<Membership>(stored === undefined ? "dynamic" : membership(stored))
  const [isActive, setActive] = useState(stored?.isActive ?? true)
  const former = stored === undefined ? emptyCriteria : formFromCriteria(stored.criteria)
  const [rules, setRules] = useState(former ?? emptyCriteria)
  const criteria = former === undefined || kind === "manual" ? undefined : criteriaFromForm(type, rules)
  const name = fields.name.trim()
  const description = fields.description.trim() || null
  const save = useAction(() =>
    call(
      (client) =>
        stored === undefined
          ? client.collections.create({
              query: {},
              payload: {
                name,
                description,
                collectionType: type,
                criteria: criteria ?? {},
                dynamic: kind === "dynamic"
              }
            })
          : client.collections.update({
              params: { id: stored.id },
              query: {},
              payload: {
                name,
                description,
                ...(criteria !== undefined && { criteria }),
                ...(kind === "stored" && { isActive })
              }
            }),
      stored === undefined ? collectionsChanged : collectionChanged(stored.id)
    )
  )
  const field = bind(save.problem)
  const submit = async () => {
    const saved = await save.run()
    if (saved !== undefined) onSaved(saved)
  }
  return (
    <DialogForm act={save} action={t.save} onSubmit={submit} onCancel={onClose}>
      <TextField label={t.name} {...field("name")} maxLength={255} required autoFocus />
      <TextField label={t.description} {...field("description")} maxLength={2000} />
      {stored === undefined && (
        <div className="collections-kind">
          <SelectField
            label={t.type}
            value={type}
            options={collectionTypes.map((value) => ({ value, label: t.types[value] }))}
            onChange={(next) => {
              setType(next)
              setRules(emptyCriteria)
            }}
          />
          <SelectField
            label={t.kind}
            hint={t.kindHints[kind]}
            value={kind}
            options={memberships.map((value) => ({ value, label: t.kinds[value] }))}
            onChange={setKind}
          />
        </div>
      )}
      {former === undefined && <p className="muted">{t.nested}</p>}
      {criteria !== undefined && (
        <>
          <CriteriaFields type={type} form={rules} onChange={setRules} />
          {stored !== undefined && kind === "stored" && (
            <CheckField label={t.unfreeze} checked={isActive} onChange={setActive} />
          )}
          <Preview type={type} criteria={criteria} />
        </>
      )}
    </DialogForm>
  )
}

/** Makes or changes a collection. */
export const CollectionDialog = ({ open, ...rest }: FormProps & { readonly open: boolean }) => {
  const t = useMessages("collections")
  return (
    <Dialog open={open} onClose={rest.onClose} title={rest.stored ? t.changeTitle : t.create} wide>
      <CollectionForm {...rest} />
    </Dialog>
  )
}
