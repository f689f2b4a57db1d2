import type { SendCommand } from "@edp/domain/commands/Command"
import type { Device } from "@edp/domain/devices/Device"
import type { CommandSlug, CommandType } from "@edp/domain/devices/DeviceType"
import { type ComponentProps, type ReactNode, useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { useDisplayUnits } from "../../api/displayUnits.ts"
import type { Problem } from "../../api/problems.ts"
import { formatNumber } from "../../i18n/format.ts"
import { shownUnit, shownValue, temperatureText, typedTemperature } from "../../i18n/units.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { CommandsClient, commandSent } from "../../resources/commands.ts"
import { Button } from "../Button.tsx"
import { DateTimeField } from "../DateTimeField.tsx"
import { CheckField, ChoiceField, SelectField, TextField } from "../Field.tsx"
import { Form } from "../Form.tsx"
import { Empty } from "../components.tsx"
import { ProblemNotice } from "../Problem.tsx"
import { useToast } from "../Toasts.tsx"
import { useAction } from "../useAction.ts"
import { nowMillis } from "../../state/now.ts"
import {
  type FormField,
  fieldRules,
  formFields,
  formInput,
  type FormProblem,
  formTiming,
  type FormValues,
  hasEnd,
  type TimingValues
} from "./commandForm.ts"
import { CommandForecast } from "./CommandForecast.tsx"
import "./commands.css"

const isTemperature = (field: string) => field === "heatTarget" || field === "coolTarget"

/** The sentence for what is wrong with a field. */
const useProblemSentence = () => {
  const t = useMessages("deviceCommands")
  const language = useLanguage()
  const units = useDisplayUnits()
  return (problem: FormProblem | undefined, field = ""): string | undefined => {
    if (problem === undefined) return undefined
    const shown = (value: number) => (isTemperature(field) ? shownValue(value, "°F", units) : value)
    const show = (value: number | undefined) => (value === undefined ? null : formatNumber(language, shown(value), 2))
    switch (problem.kind) {
      case "range": {
        const { minimum, maximum, above } = problem.range
        if (minimum === undefined && maximum === undefined) return t.above({ least: show(above) ?? "0" })
        return t.range({ minimum: show(minimum ?? above), maximum: show(maximum) })
      }
      case "below":
        return t.below({ other: t.inputs[problem.other] ?? problem.other })
      default:
        return t[problem.kind]
    }
  }
}

const refusal = (problem: Problem | undefined, name: string) =>
  problem?.kind === "refused" ? problem.details[name] : undefined

interface InputProps {
  /** The chosen mode; empty without one. */
  readonly mode: string
  readonly field: FormField
  readonly value: string
  readonly onChange: (value: string) => void
  readonly isRequired: boolean
  readonly problem: string | undefined
  readonly invalid: string | undefined
}

/** A temperature in the unit of the workspace. It is converted only when it is typed, so that a stored one stays exactly as it is. */
const TemperatureField = ({ value, onChange, ...field }: ComponentProps<typeof TextField>) => {
  const units = useDisplayUnits()
  const [typed, setTyped] = useState({ text: temperatureText(value, units), value })
  const text = typed.value === value ? typed.text : temperatureText(value, units)
  return (
    <TextField
      {...field}
      value={text}
      onChange={(next) => {
        const converted = typedTemperature(next, units)
        setTyped({ text: next, value: converted })
        onChange(converted)
      }}
    />
  )
}

const Input = ({ field, mode, value, onChange, isRequired, problem, invalid }: InputProps) => {
  const t = useMessages("deviceCommands")
  const { words } = useMessages("fields")
  const language = useLanguage()
  const units = useDisplayUnits()
  const name = t.inputs[field.name] ?? field.name
  const label = isTemperature(field.name) ? `${name}, ${shownUnit("°F", units)}` : name
  const hint = t.hints[field.name]
  switch (field.kind) {
    case "flag":
      return (
        <CheckField
          label={t.grid[mode] ?? label}
          checked={value === "true"}
          onChange={(checked) => onChange(checked ? "true" : "")}
        />
      )
    case "choice":
      if (isRequired) {
        return (
          <ChoiceField
            label={label}
            problem={problem}
            invalid={invalid ?? (value === "" ? t.choose : undefined)}
            value={value}
            options={field.values.map((each) => ({ value: each, label: words[each] ?? each }))}
            onChange={onChange}
            required
          />
        )
      }
      return (
        <SelectField
          label={label}
          {...(hint !== undefined && { hint })}
          problem={problem}
          invalid={invalid}
          value={value}
          options={[
            { value: "", label: t.none },
            ...field.values.map((each) => ({ value: each, label: words[each] ?? each }))
          ]}
          onChange={onChange}
        />
      )
    case "number": {
      const { minimum, maximum } = field.range
      const show = (bound: number | undefined) =>
        bound === undefined
          ? null
          : formatNumber(language, isTemperature(field.name) ? shownValue(bound, "°F", units) : bound, 2)
      const range =
        minimum === undefined && maximum === undefined
          ? undefined
          : t.range({ minimum: show(minimum), maximum: show(maximum) })
      const hints = [range, hint].filter((each) => each !== undefined)
      const NumberField = isTemperature(field.name) ? TemperatureField : TextField
      return (
        <NumberField
          label={label}
          {...(hints.length > 0 && { hint: hints.join(" ") })}
          problem={problem}
          invalid={invalid}
          value={value}
          onChange={onChange}
          inputMode="decimal"
          required={isRequired}
        />
      )
    }
  }
}

interface CommandFieldsProps {
  readonly command: CommandType
  readonly values: FormValues
  readonly onChange: (values: FormValues) => void
  /** The problem of the write. */
  readonly problem: Problem | undefined
  /** The path of the input in the request. */
  readonly path: string
  /** Further fields beside those of the input. */
  readonly children?: ReactNode
}

/** The fields of the input of a command, within the limits of its device, that belong to the present values. */
export const CommandFields = ({ command, values, onChange, problem, path, children }: CommandFieldsProps) => {
  const t = useMessages("deviceCommands")
  const sentence = useProblemSentence()
  const mode = values["operatingMode"] ?? ""
  const { required, hidden } = fieldRules(command, values)
  const { problems } = formInput(command, values)
  const fields = formFields(command).filter(({ name }) => !hidden.has(name))
  const inputs = (shown: ReadonlyArray<FormField>) =>
    shown.map((field) => (
      <Input
        key={field.name}
        mode={mode}
        field={field}
        value={values[field.name] ?? ""}
        onChange={(value) => onChange({ ...values, [field.name]: value })}
        isRequired={required.has(field.name)}
        problem={refusal(problem, `${path}.${field.name}`)}
        invalid={sentence(problems[field.name], field.name)}
      />
    ))
  const isMode = (field: FormField) => field.kind === "choice" && required.has(field.name)
  const flags = fields.filter(({ kind }) => kind === "flag")
  return (
    <>
      {inputs(fields.filter(isMode))}
      {flags.length > 0 && t.defaults[mode] !== undefined && <p className="muted">{t.defaults[mode]}</p>}
      {inputs(flags)}
      <div className="command-inputs">
        {inputs(fields.filter((field) => field.kind !== "flag" && !isMode(field)))}
        {children}
      </div>
    </>
  )
}

/** When a command of the input is sent and how long its mode holds. */
export const commandTiming = ({ slug }: CommandType, values: FormValues, timing: TimingValues, timeZone: string) =>
  formTiming({ ...timing, minutes: hasEnd(slug, values) ? timing.minutes : "" }, timeZone, nowMillis())

interface TimingFieldsProps {
  readonly command: CommandType
  readonly values: FormValues
  readonly timing: TimingValues
  readonly timeZone: string
  readonly onChange: (timing: TimingValues) => void
  readonly problem: Problem | undefined
}

export const TimingFields = ({ command, values, timing, timeZone, onChange, problem }: TimingFieldsProps) => {
  const t = useMessages("deviceCommands")
  const sentence = useProblemSentence()
  const { problems } = commandTiming(command, values, timing, timeZone)
  return (
    <>
      {hasEnd(command.slug, values) && (
        <TextField
          label={t.minutes}
          hint={t.minutesHint[command.slug.startsWith("battery:") ? "battery" : "other"]}
          inputMode="decimal"
          value={timing.minutes}
          onChange={(minutes) => onChange({ ...timing, minutes })}
          problem={refusal(problem, "revertAfter")}
          invalid={sentence(problems.minutes)}
        />
      )}
      <DateTimeField
        kind="datetime"
        label={t.at}
        timeZone={timeZone}
        hint={t.atHint}
        value={timing.at}
        onChange={(at) => onChange({ ...timing, at })}
        problem={refusal(problem, "scheduledFor")}
        invalid={sentence(problems.at)}
      />
    </>
  )
}

interface CommandProps {
  readonly device: Device
  readonly command: CommandType
  readonly timeZone: string
}

export const noTiming: TimingValues = { at: "", minutes: "" }

const OneCommand = ({ device, command, timeZone }: CommandProps) => {
  const t = useMessages("deviceCommands")
  const toast = useToast()
  const call = useApi(CommandsClient)
  const [values, setValues] = useState<FormValues>({})
  const [timing, setTiming] = useState(noTiming)
  const { input, problems } = formInput(command, values)
  const { required } = fieldRules(command, values)
  const isPreviewed = Object.keys(problems).length === 0 && [...required].every((name) => Object.hasOwn(input, name))
  const times = commandTiming(command, values, timing, timeZone)
  const send = useAction(() =>
    call(
      (client) =>
        client.commands.send({
          params: { id: device.id },
          payload: { type: command.slug, input, ...times.timing } as SendCommand
        }),
      commandSent(device.id)
    )
  )
  const submit = async () => {
    const stored = await send.run()
    if (stored === undefined) return
    toast.done(stored.status === "scheduled" ? t.scheduledNote : t.sent)
    setTiming(noTiming)
  }
  const change = (changed: FormValues) => {
    setValues(changed)
    send.forget()
  }
  return (
    <Form onSubmit={submit}>
      <CommandFields command={command} values={values} onChange={change} problem={send.problem} path="input">
        <TimingFields {...{ command, values, timing, timeZone }} onChange={setTiming} problem={send.problem} />
      </CommandFields>
      {isPreviewed && (
        <CommandForecast
          device={device}
          command={{ type: command.slug, input } as Pick<SendCommand, "type" | "input">}
        />
      )}
      {send.problem && <ProblemNotice problem={send.problem} />}
      <div className="actions">
        <Button tone="main" icon="send" type="submit" busy={send.busy}>
          {t.issue}
        </Button>
      </div>
    </Form>
  )
}

interface CommandFormProps {
  readonly device: Device
  readonly timeZone: string
}

/** Forms of the commands that the device takes, one of which is shown. */
export const CommandForm = ({ device, timeZone }: CommandFormProps) => {
  const t = useMessages("deviceCommands")
  // The mode comes first: it is what most commands are about.
  const isMode = ({ slug }: CommandType) => slug.endsWith(":set-operating-mode")
  const commands = [...device.availableCommands].sort((one, other) => Number(isMode(other)) - Number(isMode(one)))
  const [slug, setSlug] = useState<CommandSlug | undefined>(commands[0]?.slug)
  const command = commands.find((each) => each.slug === slug) ?? commands[0]
  if (command === undefined) {
    return (
      <Empty icon="bolt" title={t.noCommands}>
        {t.noCommandsHint}
      </Empty>
    )
  }
  return (
    <div className="stack">
      <SelectField
        label={t.command}
        value={command.slug}
        options={commands.map((each) => ({ value: each.slug, label: t.names[each.slug] ?? each.description }))}
        onChange={setSlug}
      />
      <OneCommand key={command.slug} device={device} command={command} timeZone={timeZone} />
    </div>
  )
}
