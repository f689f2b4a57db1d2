import { Popover } from "@base-ui/react/popover"
import {
  type CalendarDate,
  type DateValue,
  parseDate,
  parseDateTime,
  parseTime,
  toCalendarDate,
  toCalendarDateTime,
  today,
  toZoned
} from "@internationalized/date"
import { type ReactElement, type ReactNode, useState } from "react"
import {
  Button as AriaButton,
  Calendar,
  CalendarCell,
  CalendarGrid,
  DateField,
  DateInput,
  DateSegment,
  Heading,
  I18nProvider,
  Label,
  Text,
  TimeField
} from "react-aria-components"
import { formatLocale } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { Button, IconButton } from "../Button.tsx"
import { useFieldProblem } from "../Form.tsx"
import { Icon } from "../Icon.tsx"
import "./DateBase.css"

export interface DateTimeFieldProps {
  readonly kind: "date" | "datetime" | "time"
  readonly label: ReactNode
  /** As native controls have it: `2026-03-01`, `2026-03-01T12:00` or `12:00`; empty without a value. */
  readonly value: string
  readonly onChange: (value: string) => void
  /** The time zone of a date with a time, which the field names, and of the present day. */
  readonly timeZone?: string
  readonly hint?: ReactNode
  /** The reason why the service refused the value. */
  readonly problem?: string | undefined
  /** The reason why the value can't be sent, beyond what the field knows itself. */
  readonly invalid?: string | undefined
  readonly required?: boolean | undefined
  readonly hideLabel?: boolean | undefined
  readonly autoFocus?: boolean
}

export interface DayPickerProps {
  /** Names the day, for screen readers. */
  readonly label: string
  /** A day such as `2026-03-01`; empty if none is chosen. */
  readonly value: string
  readonly trigger: ReactElement<{ "aria-haspopup"?: "dialog"; "aria-expanded"?: boolean; onClick?: () => void }>
  readonly onChoose: (day: string) => void
}

// The library would write this rule, which is in the style sheet, into an element that the policy of the page refuses.
const styled = document.createElement("meta")
styled.id = "react-aria-pressable-style"
document.head.append(styled)

const Localized = ({ children }: { readonly children: ReactNode }) => (
  <I18nProvider locale={formatLocale(useLanguage())}>{children}</I18nProvider>
)

interface PopupProps {
  readonly label: string
  readonly trigger: ReactElement
  readonly open: boolean
  readonly onOpen: (open: boolean) => void
  readonly children: ReactNode
}

const Popup = ({ label, trigger, open, onOpen, children }: PopupProps) => (
  <Popover.Root open={open} onOpenChange={onOpen}>
    <Popover.Trigger render={trigger} />
    <Popover.Portal>
      <Popover.Positioner
        className="date-place"
        sideOffset={4}
        align="start"
        collisionPadding={8}
        collisionAvoidance={{ fallbackAxisSide: "none" }}
      >
        <Popover.Popup className="date-popup" aria-label={label} initialFocus={false}>
          {children}
        </Popover.Popup>
      </Popover.Positioner>
    </Popover.Portal>
  </Popover.Root>
)

interface DaysProps {
  readonly label: string
  readonly value: CalendarDate | null
  readonly onChoose: (day: CalendarDate) => void
}

/** The days of a month, which take the focus. Weeks begin on Monday, as those of periods and schedules do. */
const Days = ({ label, value, onChoose }: DaysProps) => {
  const t = useMessages("dateTime")
  return (
    <Calendar aria-label={label} className="calendar" value={value} onChange={onChoose} firstDayOfWeek="mon" autoFocus>
      <div className="calendar-head">
        <AriaButton slot="previous" className="icon-button" aria-label={t.previousMonth}>
          <Icon name="left" />
        </AriaButton>
        <Heading level={3} />
        <AriaButton slot="next" className="icon-button" aria-label={t.nextMonth}>
          <Icon name="right" />
        </AriaButton>
      </div>
      <CalendarGrid>{(date) => <CalendarCell date={date} className="calendar-day" />}</CalendarGrid>
    </Calendar>
  )
}

/** A value of the library from a text as native controls have it; null for another one. */
const reading =
  <Value,>(parse: (text: string) => Value) =>
  (text: string): Value | null => {
    try {
      return text === "" ? null : parse(text)
    } catch {
      return null
    }
  }

const toDay = reading(parseDate)
const toTimeOfDay = reading(parseTime)

const Segments = () => (
  <DateInput className="date-input">
    {(segment) => <DateSegment segment={segment} className={`date-segment ${segment.type}`} />}
  </DateInput>
)

interface FrameProps extends DateTimeFieldProps {
  readonly id: string
  readonly segments: ReadonlyArray<{ readonly isEditable: boolean; readonly isPlaceholder: boolean }>
  readonly problem: string | undefined
  readonly calendar?: ReactNode
}

/** The field set gives a form what it knows of native controls: an id, and why the value can't be sent. */
const Frame = (props: FrameProps) => {
  const { id, segments, label, hint, problem, hideLabel, required, invalid, value, calendar } = props
  const t = useMessages("kit")
  const { incomplete } = useMessages("dateTime")
  const isBegun = segments.some(({ isEditable, isPlaceholder }) => isEditable && !isPlaceholder)
  const missing = value !== "" ? undefined : isBegun ? incomplete : required ? t.required : undefined
  return (
    <fieldset id={id} role="presentation" className="field date-field" data-invalid={missing ?? invalid}>
      <Label className={hideLabel ? "hidden" : "date-label"}>
        {label}
        {required && <span className="required">{` (${t.requiredMark})`}</span>}
      </Label>
      {hint !== undefined && (
        <Text slot="description" elementType="p" className="hint">
          {hint}
        </Text>
      )}
      <div className="date-control">
        <Segments />
        {calendar}
      </div>
      {problem !== undefined && (
        <div id={`${id}-problem`}>
          <Text slot="errorMessage" elementType="p" className="field-problem">
            {problem}
          </Text>
        </div>
      )}
    </fieldset>
  )
}

interface FieldCalendarProps extends Pick<DateTimeFieldProps, "required" | "onChange"> {
  readonly day: CalendarDate | null
  readonly onChoose: (day: CalendarDate) => void
}

/** The button of a field that opens a month to choose the day from. */
const FieldCalendar = ({ day, required, onChoose, onChange }: FieldCalendarProps) => {
  const t = useMessages("dateTime")
  const [isOpen, setOpen] = useState(false)
  const closing = (act: () => void) => {
    act()
    setOpen(false)
  }
  return (
    <Popup
      label={t.chooseDay}
      open={isOpen}
      onOpen={setOpen}
      trigger={<IconButton icon="calendar" label={t.chooseDay} className="date-open" />}
    >
      <Days label={t.chooseDay} value={day} onChoose={(chosen) => closing(() => onChoose(chosen))} />
      {!required && day !== null && (
        <Button small tone="quiet" onClick={() => closing(() => onChange(""))}>
          {t.clear}
        </Button>
      )}
    </Popup>
  )
}

/** How a field reads and writes the text of a day, or of a day with a time. */
const kinds = {
  date: {
    granularity: "day",
    read: toDay,
    write: (value: DateValue) => toCalendarDate(value).toString(),
    on: (day: CalendarDate) => day.toString()
  },
  datetime: {
    granularity: "minute",
    read: (text: string, timeZone: string) => reading((local) => toZoned(parseDateTime(local), timeZone))(text),
    write: (value: DateValue) => toCalendarDateTime(value).toString().slice(0, 16),
    on: (day: CalendarDate, text: string) => `${day.toString()}T${text.slice(11, 16) || "00:00"}`
  }
} as const

export const DateTimeFieldBase = (props: DateTimeFieldProps & { readonly id: string }) => {
  const { kind, id, value, timeZone = "UTC", required = false, autoFocus = false, onChange } = props
  const problem = useFieldProblem(id) ?? props.problem
  const shared = { className: "date-root", isInvalid: problem !== undefined, isRequired: required, autoFocus }
  if (kind === "time") {
    return (
      <Localized>
        <TimeField
          {...shared}
          value={toTimeOfDay(value)}
          onChange={(time) => onChange(time === null ? "" : time.toString().slice(0, 5))}
        >
          {({ state: { segments } }) => <Frame {...{ ...props, problem, segments }} />}
        </TimeField>
      </Localized>
    )
  }
  const { granularity, read, write, on } = kinds[kind]
  const date = read(value, timeZone)
  const calendar = (
    <FieldCalendar
      {...{ required, onChange }}
      day={date && toCalendarDate(date)}
      onChoose={(day) => onChange(on(day, value))}
    />
  )
  return (
    <Localized>
      <DateField<DateValue>
        {...shared}
        granularity={granularity}
        placeholderValue={kind === "date" ? today(timeZone) : toZoned(today(timeZone), timeZone)}
        value={date}
        onChange={(next) => onChange(next === null ? "" : write(next))}
      >
        {({ state: { segments } }) => <Frame {...{ ...props, problem, segments, calendar }} />}
      </DateField>
    </Localized>
  )
}

/** The trigger, which opens a day to type or to choose. It is open from the start. */
export const DayPickerBase = ({ label, value, trigger, onChoose }: DayPickerProps) => {
  const [isOpen, setOpen] = useState(true)
  const [typed, setTyped] = useState<CalendarDate | null>(() => toDay(value))
  const open = (next: boolean) => {
    setOpen(next)
    if (next) setTyped(toDay(value))
  }
  const take = (day: CalendarDate | null) => {
    if (day === null) return
    onChoose(day.toString())
    setOpen(false)
  }
  return (
    <Localized>
      <Popup label={label} open={isOpen} onOpen={open} trigger={trigger}>
        <DateField
          className="date-typed"
          aria-label={label}
          value={typed}
          onChange={setTyped}
          onKeyDown={(event) => {
            if (event.key === "Enter") take(typed)
          }}
        >
          <Segments />
        </DateField>
        <Days label={label} value={typed} onChoose={take} />
      </Popup>
    </Localized>
  )
}
