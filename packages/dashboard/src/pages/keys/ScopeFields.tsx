import type { CreateApiKey } from "@edp/domain/api-keys/ApiKey"
import { useMessages } from "../../i18n/useMessages.ts"
import { customerChoicesQuery } from "../../resources/customers.ts"
import { allInstancesQuery } from "../../resources/programs.ts"
import { SelectField, TextField } from "../../kit/Field.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { customerName } from "../../kit/names.ts"
import { RecordPicker } from "../../kit/RecordPicker.tsx"

const kinds = ["none", "customer", "programInstance", "enrollments"] as const
type Kind = (typeof kinds)[number]

/** The enrolled sites that a VEN is to see, as they are chosen. */
export interface ChosenScope {
  readonly kind: Kind
  /** The id of a customer or program instance, or several ids of enrollments. */
  readonly value: string
  /** The name of the customer. */
  readonly name: string
}

export const noScope: ChosenScope = { kind: "none", value: "", name: "" }

/** The field of a request; absent without a scope. */
export const scopeField = ({ kind, value }: ChosenScope): Pick<CreateApiKey, "scope"> => {
  if (kind === "none") return {}
  if (kind === "enrollments") {
    return { scope: { enrollmentIds: value.split(/[\s,]+/u).filter((id) => id !== "") } }
  }
  return { scope: kind === "customer" ? { customerId: value } : { programInstanceId: value } }
}

interface ScopeFieldsProps {
  readonly scope: ChosenScope
  readonly onChange: (scope: ChosenScope) => void
}

/** Fields for the enrolled sites that a VEN sees, in the workspace of the page. */
export const ScopeFields = ({ onChange, scope }: ScopeFieldsProps) => {
  const t = useMessages("keys")
  return (
    <>
      <SelectField
        label={t.scope}
        hint={t.scopeHint}
        value={scope.kind}
        options={kinds.map((value) => ({ value, label: t.scopes[value] }))}
        onChange={(kind) => onChange({ ...noScope, kind })}
      />
      {scope.kind === "customer" && (
        <RecordPicker
          label={t.scopeCustomer}
          required
          chosen={scope.name}
          search={customerChoicesQuery}
          options={({ data, totalItems }) => ({
            options: data.map((each) => ({
              id: each.id,
              label: customerName(each),
              ...(each.email !== null && { note: each.email })
            })),
            isAll: totalItems <= data.length
          })}
          onChoose={({ id, label }) => onChange({ ...scope, value: id, name: label })}
        />
      )}
      {scope.kind === "programInstance" && (
        <Loaded query={allInstancesQuery}>
          {({ data }) => (
            <SelectField
              label={t.scopeInstance}
              value={scope.value}
              options={[
                { value: "", label: t.scopeChoose },
                ...data.map(({ id, title }) => ({ value: id, label: title }))
              ]}
              onChange={(value) => onChange({ ...scope, value })}
              required
            />
          )}
        </Loaded>
      )}
      {scope.kind === "enrollments" && (
        <TextField
          label={t.scopeEnrollments}
          hint={t.scopeEnrollmentsHint}
          value={scope.value}
          onChange={(value) => onChange({ ...scope, value })}
          required
          spellCheck={false}
        />
      )}
    </>
  )
}
