import { Layer } from "effect"
import { AlertConfigurations } from "../alerts/AlertConfigurations.ts"
import { AlertConfigurationsRepository } from "../alerts/AlertConfigurationsRepository.ts"
import { Alerts } from "../alerts/Alerts.ts"
import { AlertsRepository } from "../alerts/AlertsRepository.ts"
import { RaisedAlerts } from "../alerts/RaisedAlerts.ts"
import { RaisedAlertsRepository } from "../alerts/RaisedAlertsRepository.ts"
import { SilenceRepository } from "../alerts/SilenceRepository.ts"
import { SilenceWatch } from "../alerts/SilenceWatch.ts"
import { ApiKeys } from "../api-keys/ApiKeys.ts"
import { ApiKeysRepository } from "../api-keys/ApiKeysRepository.ts"
import { AuditLogs } from "../audit/AuditLogs.ts"
import { AuditLogsRepository } from "../audit/AuditLogsRepository.ts"
import { AuditRetention } from "../audit/AuditRetention.ts"
import { AuditTrail } from "../audit/AuditTrail.ts"
import { RefusedUses } from "../audit/RefusedUses.ts"
import { CollectionMembers } from "../collections/CollectionMembers.ts"
import { Collections } from "../collections/Collections.ts"
import { CollectionsRepository } from "../collections/CollectionsRepository.ts"
import { KeptSets } from "../collections/KeptSets.ts"
import { KeptSetsRepository } from "../collections/KeptSetsRepository.ts"
import { MembersRepository } from "../collections/MembersRepository.ts"
import { Customers } from "../customers/Customers.ts"
import { CustomersBulk } from "../customers/CustomersBulk.ts"
import { CustomerSitesRepository } from "../customers/CustomerSitesRepository.ts"
import { CustomersRepository } from "../customers/CustomersRepository.ts"
import { CatalogueLive } from "../device-models/Catalogue.ts"
import { AttemptsRepository } from "../destinations/AttemptsRepository.ts"
import { Deliveries } from "../destinations/Deliveries.ts"
import { DeliveriesRepository } from "../destinations/DeliveriesRepository.ts"
import { Delivering } from "../destinations/Delivering.ts"
import { Destinations } from "../destinations/Destinations.ts"
import { DestinationsRepository } from "../destinations/DestinationsRepository.ts"
import { Dispatch } from "../destinations/Dispatch.ts"
import { HourlyCaps } from "../destinations/HourlyCaps.ts"
import { RecipientHoursRepository } from "../destinations/RecipientHoursRepository.ts"
import { EventWeather } from "../destinations/EventWeather.ts"
import { LanesRepository } from "../destinations/LanesRepository.ts"
import { ReEncryption } from "../destinations/ReEncryption.ts"
import { EmailSender } from "../destinations/senders/EmailSender.ts"
import { KafkaSender } from "../destinations/senders/KafkaSender.ts"
import { ManufacturerCommandSender } from "../destinations/senders/ManufacturerCommandSender.ts"
import { Senders } from "../destinations/senders/Senders.ts"
import { SmsSender } from "../destinations/senders/SmsSender.ts"
import { WebhookSender } from "../destinations/senders/WebhookSender.ts"
import { Targets } from "../destinations/Targets.ts"
import { configuredOutbound } from "../platform/outbound/configuredOutbound.ts"
import { SecretBox } from "../platform/secrets/SecretBox.ts"
import { DeviceModels } from "../device-models/DeviceModels.ts"
import { DeviceModelsRepository } from "../device-models/DeviceModelsRepository.ts"
import { CustomerDevicesLive } from "../devices/CustomerDevices.ts"
import { DeviceEvents } from "../devices/DeviceEvents.ts"
import { DeviceHistory } from "../readings/history/DeviceHistory.ts"
import { DeviceHistoryRepository } from "../readings/history/DeviceHistoryRepository.ts"
import { DeviceListRepository } from "../devices/DeviceListRepository.ts"
import { DeviceLists } from "../devices/DeviceLists.ts"
import { Devices } from "../devices/Devices.ts"
import { DeviceSearchRepository } from "../devices/DeviceSearchRepository.ts"
import { DevicesRepository } from "../devices/DevicesRepository.ts"
import { DeviceTags } from "../devices/DeviceTags.ts"
import { SiteChanges } from "../devices/SiteChanges.ts"
import { SiteChangesRepository } from "../devices/SiteChangesRepository.ts"
import { SiteDevicesLive } from "../devices/SiteDevices.ts"
import { ForgottenHistories } from "../readings/retention/ForgottenHistories.ts"
import { HistoryLooks } from "../readings/history/HistoryLooks.ts"
import { HistoryPagesRepository } from "../readings/history/HistoryPagesRepository.ts"
import { ReadingCounts } from "../readings/history/ReadingCounts.ts"
import { ReadingCountsRepository } from "../readings/history/ReadingCountsRepository.ts"
import { BulkTelemetryPush } from "../readings/ingest/BulkTelemetryPush.ts"
import { DirectDevices } from "../readings/ingest/DirectDevices.ts"
import { DirectIntegrationRepository } from "../readings/ingest/DirectIntegrationRepository.ts"
import { Provisioning } from "../readings/ingest/Provisioning.ts"
import { QuickPush } from "../readings/ingest/QuickPush.ts"
import { TelemetryPush } from "../readings/ingest/TelemetryPush.ts"
import { EventOutbox } from "../platform/outbox/EventOutbox.ts"
import { EventRetention } from "../events/EventRetention.ts"
import { Events } from "../events/Events.ts"
import { EventsRepository } from "../events/EventsRepository.ts"
import { ReadingEvents } from "../events/ReadingEvents.ts"
import { AnswersRepository } from "../platform/idempotency/AnswersRepository.ts"
import { IdempotentAnswers } from "../platform/idempotency/IdempotentAnswers.ts"
import { configuredGeocoder } from "../platform/locations/configuredGeocoder.ts"
import { Manufacturers } from "../manufacturers/Manufacturers.ts"
import { ManufacturersRepository } from "../manufacturers/ManufacturersRepository.ts"
import { DeviceEnergy } from "../metrics/DeviceEnergy.ts"
import { EnergyChanges } from "../metrics/EnergyChanges.ts"
import { EnergyReadingsRepository } from "../metrics/EnergyReadingsRepository.ts"
import { EnergyRollups } from "../metrics/EnergyRollups.ts"
import { EnergySpans } from "../metrics/EnergySpans.ts"
import { FrozenEnergy } from "../metrics/FrozenEnergy.ts"
import { ReadingRetention } from "../readings/retention/ReadingRetention.ts"
import { RetentionRepository } from "../readings/retention/RetentionRepository.ts"
import { RolledDays } from "../metrics/RolledDays.ts"
import { RollupDaysRepository } from "../metrics/RollupDaysRepository.ts"
import { RollupsRepository } from "../metrics/RollupsRepository.ts"
import { MetricDevices } from "../metrics/MetricDevices.ts"
import { Metrics } from "../metrics/Metrics.ts"
import { MetricsRepository } from "../metrics/MetricsRepository.ts"
import { PlaceEnergy } from "../metrics/PlaceEnergy.ts"
import { UnreadAnswers } from "../platform/observability/UnreadAnswers.ts"
import { Organizations } from "../workspaces/Organizations.ts"
import { Backlogs } from "../platform/observability/Backlogs.ts"
import { OrganizationsRepository } from "../workspaces/OrganizationsRepository.ts"
import { SiteCustomersRepository } from "../sites/SiteCustomersRepository.ts"
import { Sites } from "../sites/Sites.ts"
import { SitesBulk } from "../sites/SitesBulk.ts"
import { SitesRepository } from "../sites/SitesRepository.ts"
import { Tags } from "../devices/Tags.ts"
import { TagsRepository } from "../devices/TagsRepository.ts"
import { KeptReadings } from "../readings/ingest/KeptReadings.ts"
import { KeptReadingsRepository } from "../readings/ingest/KeptReadingsRepository.ts"
import { TelemetryRepository } from "../readings/ingest/TelemetryRepository.ts"
import { TelemetryWriter } from "../readings/ingest/TelemetryWriter.ts"
import { configuredWeather } from "../platform/weather/configuredWeather.ts"
import { Workspaces } from "../workspaces/Workspaces.ts"
import { WorkspacesRepository } from "../workspaces/WorkspacesRepository.ts"

const foundations = Layer.mergeAll(
  AuditLogsRepository.layer,
  WorkspacesRepository.layer,
  OrganizationsRepository.layer,
  ApiKeysRepository.layer,
  ManufacturersRepository.layer,
  DeviceModelsRepository.layer,
  CustomersRepository.layer,
  CustomerSitesRepository.layer,
  SitesRepository.layer,
  SiteCustomersRepository.layer,
  DeviceSearchRepository.layer.pipe(
    Layer.provideMerge(DeviceListRepository.layer),
    Layer.provideMerge(Layer.merge(DevicesRepository.layer, SiteChangesRepository.layer))
  ),
  DeviceHistoryRepository.layer,
  HistoryPagesRepository.layer,
  ReadingCountsRepository.layer,
  TagsRepository.layer,
  TelemetryRepository.layer,
  KeptReadingsRepository.layer,
  EnergyReadingsRepository.layer,
  RollupsRepository.layer,
  RollupDaysRepository.layer,
  RetentionRepository.layer,
  MetricsRepository.layer,
  DirectIntegrationRepository.layer,
  AlertsRepository.layer,
  RaisedAlertsRepository.layer,
  SilenceRepository.layer,
  AlertConfigurationsRepository.layer,
  CollectionsRepository.layer,
  MembersRepository.layer,
  KeptSetsRepository.layer,
  EventsRepository.layer,
  DestinationsRepository.layer,
  DeliveriesRepository.layer,
  LanesRepository.layer,
  AttemptsRepository.layer,
  RecipientHoursRepository.layer,
  AnswersRepository.layer,
  configuredGeocoder,
  configuredWeather,
  UnreadAnswers.layer
)

const audit = Layer.mergeAll(AuditTrail.layer, AuditLogs.layer, RefusedUses.layer, AuditRetention.layer)

const catalogue = CatalogueLive.pipe(Layer.provideMerge(DeviceModels.layer), Layer.provideMerge(Manufacturers.layer))

const customers = Layer.mergeAll(Customers.layer, CustomersBulk.layer).pipe(Layer.provide(CustomerDevicesLive))

const sites = Layer.mergeAll(Sites.layer, SitesBulk.layer).pipe(
  Layer.provide(SiteDevicesLive),
  Layer.provideMerge(customers)
)

const devices = Layer.mergeAll(
  Devices.layer,
  DeviceLists.layer,
  DeviceHistory.layer,
  DeviceTags.layer,
  SiteChanges.layer
).pipe(
  Layer.provide(Layer.mergeAll(ForgottenHistories.layer, HistoryLooks.layer, ReadingCounts.layer)),
  Layer.provideMerge(DeviceEvents.layer),
  Layer.provideMerge(sites)
)

const directIntegration = Layer.mergeAll(
  Provisioning.layer,
  TelemetryPush.layer,
  BulkTelemetryPush.layer,
  QuickPush.layer
).pipe(
  Layer.provide(DirectDevices.layer),
  Layer.provideMerge(KeptReadings.layer),
  Layer.provideMerge(TelemetryWriter.layer),
  Layer.provideMerge(devices)
)

const energy = Layer.mergeAll(DeviceEnergy.layer, EnergyRollups.layer).pipe(
  Layer.provide(Layer.mergeAll(EnergySpans.layer, EnergyChanges.layer, RolledDays.layer))
)

const retention = ReadingRetention.layer.pipe(Layer.provide(Layer.merge(FrozenEnergy.layer, KeptReadings.layer)))

const metrics = Metrics.layer.pipe(
  Layer.provide(Layer.mergeAll(MetricDevices.layer, PlaceEnergy.layer)),
  Layer.provideMerge(energy)
)

const collections = Collections.layer.pipe(
  Layer.provide(Layer.mergeAll(KeptSets.layer, CollectionMembers.layer)),
  Layer.provide(devices)
)

const senders = Layer.mergeAll(
  EmailSender.layer,
  SmsSender.layer,
  KafkaSender.layer,
  ManufacturerCommandSender.layer
).pipe(Layer.provideMerge(WebhookSender.layer))

const destinations = Layer.mergeAll(Destinations.layer, Deliveries.layer, Dispatch.layer, Delivering.layer).pipe(
  Layer.provide(Layer.mergeAll(Targets.layer, EventWeather.layer, HourlyCaps.layer, Senders.layer)),
  Layer.provide(senders),
  Layer.provide(Layer.mergeAll(configuredOutbound, SecretBox.layer)),
  Layer.provideMerge(Events.layer.pipe(Layer.provide(ReadingEvents.layer))),
  Layer.provide(Layer.merge(catalogue, devices))
)

/** What an operator's command needs to encrypt secrets anew. */
export const SecretsOfDestinations = ReEncryption.layer.pipe(
  Layer.provide(Layer.merge(DestinationsRepository.layer, SecretBox.layer))
)

/** The services of every slice over a database. */
export const Services = Layer.mergeAll(
  Organizations.layer,
  ApiKeys.layer,
  catalogue,
  Tags.layer,
  directIntegration,
  Alerts.layer.pipe(Layer.provideMerge(AlertConfigurations.layer)),
  metrics,
  retention,
  SilenceWatch.layer.pipe(Layer.provideMerge(RaisedAlerts.layer)),
  collections,
  destinations,
  EventRetention.layer,
  IdempotentAnswers.layer,
  Backlogs.layer
).pipe(
  Layer.provideMerge(Workspaces.layer),
  Layer.provideMerge(Layer.merge(audit, EventOutbox.layer)),
  Layer.provideMerge(foundations)
)
