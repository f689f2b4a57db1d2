import { Facts, Notice } from "@edp/dashboard/kit/components.tsx"
import { MarkedList } from "../kit/DeviceIcon.tsx"
import { addressFields, Fields, personFields, ProblemSummary, summaryLines } from "../kit/fields.tsx"
import { Page } from "../kit/Page.tsx"
import { SendButton, StepForm, WayOn } from "../kit/StepForm.tsx"
import { Instant, listChoices } from "./dates.tsx"
import type { EnrollView } from "./pageTypes.ts"
import type { EnrollScene } from "./messages.ts"

/** The messages and the data of a page. */
export interface ViewProps<Name extends EnrollView["page"]> {
  readonly scene: EnrollScene
  readonly view: Extract<EnrollView, { readonly page: Name }>
}

/** A text of the operator, with its line breaks. */
export const Prose = ({ text }: { readonly text: string }) =>
  text.trim() !== "" && <p className="prose">{text.trim()}</p>

const ProgramDates = ({ scene: { context, t }, view: { program } }: ViewProps<"program">) => {
  const { period } = program
  if (period === null) return <p>{t.program.atOnce}</p>
  const { language } = context
  return (
    <Facts
      items={[
        [t.program.deadline, <Instant language={language} iso={period.deadline} />],
        [t.program.activatesAt, <Instant language={language} iso={period.activatesAt} />]
      ]}
    />
  )
}

export const ProgramPage = ({ scene, view }: ViewProps<"program">) => {
  const { t, request } = scene
  const { base } = request
  const { description, eligibilityCriteria, states, title } = view.program
  return (
    <Page scene={scene} name="program" heading={title}>
      <Prose text={description} />
      {view.hasBegun && base !== null && (
        <Notice state="plain">
          {t.program.begun} <a href={`${base}/back`}>{t.program.goOn}</a>
        </Notice>
      )}
      <h2>{t.program.who}</h2>
      <Prose text={eligibilityCriteria} />
      <p>
        {states.length === 0
          ? t.program.everywhere
          : t.program.states({ states: listChoices(scene.context.language, states) })}
      </p>
      <h2>{t.program.dates}</h2>
      <ProgramDates scene={scene} view={view} />
      <h2>{t.program.needs}</h2>
      <MarkedList lines={Object.values(t.program.needed)} icon="check" tone="yes" />
      {base !== null && <WayOn href={`${base}/apply`}>{t.program.start}</WayOn>}
    </Page>
  )
}

const ACCEPT = "field-accept"

const Terms = ({ scene: { t }, view: { accepted, needsAcceptance, program } }: ViewProps<"apply">) => {
  if (program.terms.trim() === "") return null
  return (
    <fieldset>
      <legend>{t.apply.terms}</legend>
      <div className="terms prose" role="region" aria-label={t.apply.terms} tabIndex={0}>
        {program.terms.trim()}
      </div>
      <div className="accept">
        <input
          id={ACCEPT}
          type="checkbox"
          name="accept"
          value="yes"
          defaultChecked={accepted}
          required
          aria-invalid={needsAcceptance || undefined}
          aria-describedby={needsAcceptance ? `${ACCEPT}-problem` : undefined}
        />
        <label htmlFor={ACCEPT}>{t.apply.accept}</label>
        {needsAcceptance && (
          <p className="field-problem" id={`${ACCEPT}-problem`}>
            {t.apply.acceptProblem}
          </p>
        )}
      </div>
    </fieldset>
  )
}

export const ApplyPage = ({ scene, view }: ViewProps<"apply">) => {
  const { asker, t } = scene
  const { failure, form, formToken, needsAcceptance, program } = view
  const person = personFields(t).map((field) => (field.name === "phone" ? { ...field, required: false } : field))
  const address = addressFields(t)
  const problems = [
    ...summaryLines(t, [...person, ...address], form),
    ...(needsAcceptance ? [{ target: ACCEPT, text: t.apply.acceptProblem }] : [])
  ]
  return (
    <Page scene={scene} name="apply" heading={t.apply.title} hasProblems={problems.length > 0 || failure !== null}>
      <p className="lead">{t.apply.lead({ asker })}</p>
      <ProblemSummary
        title={problems.length > 0 ? t.problemsTitle : t.apply.failed}
        lines={problems}
        sentence={failure === null ? null : t.apply.failures[failure]}
      />
      <StepForm scene={scene} step="apply">
        <input type="hidden" name="form" value={formToken} />
        <input type="hidden" name="termsVersion" value={program.termsVersion} />
        <Fields scene={scene} fields={person} form={form} legend={t.person.legend} />
        <Fields scene={scene} fields={address} form={form} legend={t.apply.home} />
        <Terms scene={scene} view={view} />
        <SendButton>{t.apply.send}</SendButton>
      </StepForm>
    </Page>
  )
}
