import { useMemo } from "react"
import { useMessages } from "../../i18n/useMessages.ts"
import { manufacturersQuery } from "../../resources/manufacturers.ts"
import { SelectField } from "../../kit/Field.tsx"
import { currentValue, useAtomValue } from "../../state/atoms.ts"

/** The manufacturers as far as they are known, and the name of each slug. */
export const useManufacturers = () => {
  const response = currentValue(useAtomValue(manufacturersQuery))
  return useMemo(() => {
    const all = response?.data ?? []
    const names = new Map(all.map(({ slug, name }) => [slug, name]))
    return { all, name: (slug: string) => names.get(slug) ?? slug }
  }, [response])
}

interface ManufacturerFieldProps {
  readonly value: string | undefined
  readonly onChange: (slug: string | undefined) => void
  /** The words for no choice. */
  readonly any?: string
}

export const ManufacturerField = ({ value, onChange, any }: ManufacturerFieldProps) => {
  const t = useMessages("connections")
  const { all } = useManufacturers()
  const connectable = all.filter((each) => each.connectable || each.slug === value)
  return (
    <SelectField
      label={t.manufacturer}
      value={value ?? ""}
      options={[
        { value: "", label: any ?? t.allManufacturers },
        ...connectable.map(({ slug, name }) => ({ value: slug, label: name }))
      ]}
      onChange={(slug) => onChange(slug === "" ? undefined : slug)}
    />
  )
}
