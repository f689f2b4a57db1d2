import { useMessages } from "../../i18n/useMessages.ts"
import { TextField } from "../../kit/Field.tsx"

interface SlugFieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly problem: string | undefined
}

/** The short name of a program or an instance. */
export const SlugField = (props: SlugFieldProps) => {
  const t = useMessages("programs")
  return (
    <TextField
      {...props}
      label={t.slug}
      hint={t.slugHint}
      pattern="[a-z0-9][a-z0-9\-]{0,62}"
      maxLength={63}
      spellCheck={false}
      required
    />
  )
}
