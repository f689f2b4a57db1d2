import ground from "./migrations/0001_create_ground.ts"
import customers from "./migrations/0002_create_customers.ts"
import collections from "./migrations/0003_create_collections.ts"
import idempotentResponses from "./migrations/0006_create_idempotent_answers.ts"
import auditLogs from "./migrations/0007_create_audit_logs.ts"
import tagCounts from "./migrations/0008_count_tags.ts"
import deviceWatches from "./migrations/0011_watch_devices.ts"
import readingCounts from "./migrations/0013_count_readings.ts"
import alertConfigurations from "./migrations/0014_create_alert_configurations.ts"
import energyRollups from "./migrations/0015_roll_up_energy.ts"
import droppedReadings from "./migrations/0016_drop_old_readings.ts"
import hourCounts from "./migrations/0019_count_hours.ts"
import events from "./migrations/0020_create_events.ts"
import toldReadings from "./migrations/0021_tell_readings.ts"
import destinations from "./migrations/0022_create_destinations.ts"
import supersededDeliveries from "./migrations/0023_index_superseded_deliveries.ts"
import unboundAttempts from "./migrations/0026_unbind_delivery_attempts.ts"
import recipientHours from "./migrations/0031_count_messages_by_recipient.ts"
import sealedUrls from "./migrations/0032_seal_destination_urls.ts"
import departedDevices from "./migrations/0033_keep_departed_devices.ts"
import repairedTimezones from "./migrations/0041_repair_time_zones.ts"
import readingTimesAndMoves from "./migrations/0042_time_readings_and_tell_moves.ts"
import ownedManufacturers from "./migrations/0045_own_manufacturers.ts"
import fleetSums from "./migrations/0046_sum_fleets.ts"
import blocksOfSites from "./migrations/0047_index_blocks_of_sites.ts"
import accounts from "./migrations/0048_create_accounts.ts"
import accountReadings from "./migrations/0049_read_accounts.ts"
import connections from "./migrations/0050_create_connections.ts"
import brandedWorkspaces from "./migrations/0051_brand_workspaces.ts"
import commands from "./migrations/0052_create_commands.ts"
import schedules from "./migrations/0053_create_schedules.ts"
import confirmedCommands from "./migrations/0054_confirm_commands.ts"
import confirmationByState from "./migrations/0055_confirm_by_state.ts"
import programs from "./migrations/0056_create_programs.ts"
import dispatches from "./migrations/0057_create_dispatches.ts"
import limitedSites from "./migrations/0058_limit_sites.ts"
import endedEnrollments from "./migrations/0060_end_enrollments.ts"
import continuedEnrollments from "./migrations/0061_continue_enrollments.ts"
import dispatchedDevices from "./migrations/0062_follow_dispatched_devices.ts"
import openWorkByDevice from "./migrations/0065_look_up_open_work_by_device.ts"
import dashboardSessions from "./migrations/0066_create_dashboard_sessions.ts"
import searchedFleets from "./migrations/0067_search_fleets.ts"
import watchedInstances from "./migrations/0068_watch_instances.ts"
import statesBeforeCommands from "./migrations/0070_keep_states_before_commands.ts"
import commandNotes from "./migrations/0071_note_effects_of_commands.ts"
import takenSettings from "./migrations/0073_look_up_taken_settings.ts"
import datedInterventions from "./migrations/0074_date_interventions.ts"
import leftDevices from "./migrations/0075_leave_devices_to_instances.ts"
import inboundClaims from "./migrations/0076_claim_inbound_ids.ts"
import connectRedirects from "./migrations/0077_allow_connect_redirects.ts"
import browsersOfSessions from "./migrations/0078_give_keys_to_their_browsers.ts"
import deviceAttempts from "./migrations/0079_count_device_attempts.ts"
import rememberedMakers from "./migrations/0080_remember_makers.ts"
import distrustedAddresses from "./migrations/0081_distrust_typed_addresses.ts"
import failingWork from "./migrations/0082_back_off_failing_work.ts"
import claimsOfFleets from "./migrations/0083_name_claims_of_fleets.ts"
import leaseHolders from "./migrations/0084_hold_leases_by_process.ts"
import probedWrites from "./migrations/0085_probe_writes.ts"
import countedSiteDevices from "./migrations/0086_count_devices_of_sites.ts"
import confirmedEmails from "./migrations/0087_confirm_emails.ts"
import recentEnergy from "./migrations/0091_sum_recent_energy.ts"
import announcedWork from "./migrations/0090_announce_work.ts"
import dispatchResults from "./migrations/0098_keep_dispatch_results.ts"
import latestCharges from "./migrations/0099_sum_latest_charges.ts"
import programDays from "./migrations/0110_keep_program_days.ts"
import archivedReadings from "./migrations/0111_archive_readings.ts"
import importedWorkspaces from "./migrations/0120_import_workspaces.ts"
import workspaceRetention from "./migrations/0121_workspace_retention.ts"
import searchedTexts from "./migrations/0122_search_texts.ts"
import pausedWorkspaces from "./migrations/0123_pause_workspaces.ts"
import contactedWorkspaces from "./migrations/0124_contact_workspaces.ts"
import spacedCommands from "./migrations/0125_space_commands.ts"
import homeAssistantPublications from "./migrations/0126_publish_to_home_assistant.ts"
import servedOpenAdr from "./migrations/0127_serve_openadr.ts"
import gridConnections from "./migrations/0128_grid_connections.ts"
import publishedDispatches from "./migrations/0129_publish_dispatches.ts"
import rotatedKeys from "./migrations/0131_rotate_keys.ts"
import openAdrNotifications from "./migrations/0132_notify_of_openadr.ts"
import enrolledSites from "./migrations/0133_show_enrolled_sites.ts"
import boundedOpenAdr from "./migrations/0134_bound_openadr.ts"

/** Every migration, in order. Append only: a released migration is never edited. */
export const migrations = {
  "0001_create_ground": ground,
  "0002_create_customers": customers,
  "0003_create_collections": collections,
  "0006_create_idempotent_answers": idempotentResponses,
  "0007_create_audit_logs": auditLogs,
  "0008_count_tags": tagCounts,
  "0011_watch_devices": deviceWatches,
  "0013_count_readings": readingCounts,
  "0014_create_alert_configurations": alertConfigurations,
  "0015_roll_up_energy": energyRollups,
  "0016_drop_old_readings": droppedReadings,
  "0019_count_hours": hourCounts,
  "0020_create_events": events,
  "0021_tell_readings": toldReadings,
  "0022_create_destinations": destinations,
  "0023_index_superseded_deliveries": supersededDeliveries,
  "0026_unbind_delivery_attempts": unboundAttempts,
  "0031_count_messages_by_recipient": recipientHours,
  "0032_seal_destination_urls": sealedUrls,
  "0033_keep_departed_devices": departedDevices,
  "0041_repair_time_zones": repairedTimezones,
  "0042_time_readings_and_tell_moves": readingTimesAndMoves,
  "0045_own_manufacturers": ownedManufacturers,
  "0046_sum_fleets": fleetSums,
  "0047_index_blocks_of_sites": blocksOfSites,
  "0048_create_accounts": accounts,
  "0049_read_accounts": accountReadings,
  "0050_create_connections": connections,
  "0051_brand_workspaces": brandedWorkspaces,
  "0052_create_commands": commands,
  "0053_create_schedules": schedules,
  "0054_confirm_commands": confirmedCommands,
  "0055_confirm_by_state": confirmationByState,
  "0056_create_programs": programs,
  "0057_create_dispatches": dispatches,
  "0058_limit_sites": limitedSites,
  "0060_end_enrollments": endedEnrollments,
  "0061_continue_enrollments": continuedEnrollments,
  "0062_follow_dispatched_devices": dispatchedDevices,
  "0065_look_up_open_work_by_device": openWorkByDevice,
  "0066_create_dashboard_sessions": dashboardSessions,
  "0067_search_fleets": searchedFleets,
  "0068_watch_instances": watchedInstances,
  "0070_keep_states_before_commands": statesBeforeCommands,
  "0071_note_effects_of_commands": commandNotes,
  "0073_look_up_taken_settings": takenSettings,
  "0074_date_interventions": datedInterventions,
  "0075_leave_devices_to_instances": leftDevices,
  "0076_claim_inbound_ids": inboundClaims,
  "0077_allow_connect_redirects": connectRedirects,
  "0078_give_keys_to_their_browsers": browsersOfSessions,
  "0079_count_device_attempts": deviceAttempts,
  "0080_remember_makers": rememberedMakers,
  "0081_distrust_typed_addresses": distrustedAddresses,
  "0082_back_off_failing_work": failingWork,
  "0083_name_claims_of_fleets": claimsOfFleets,
  "0084_hold_leases_by_process": leaseHolders,
  "0085_probe_writes": probedWrites,
  "0086_count_devices_of_sites": countedSiteDevices,
  "0087_confirm_emails": confirmedEmails,
  "0090_announce_work": announcedWork,
  "0091_sum_recent_energy": recentEnergy,
  "0098_keep_dispatch_results": dispatchResults,
  "0099_sum_latest_charges": latestCharges,
  "0110_keep_program_days": programDays,
  "0111_archive_readings": archivedReadings,
  "0120_import_workspaces": importedWorkspaces,
  "0121_workspace_retention": workspaceRetention,
  "0122_search_texts": searchedTexts,
  "0123_pause_workspaces": pausedWorkspaces,
  "0124_contact_workspaces": contactedWorkspaces,
  "0125_space_commands": spacedCommands,
  "0126_publish_to_home_assistant": homeAssistantPublications,
  "0127_serve_openadr": servedOpenAdr,
  "0128_grid_connections": gridConnections,
  "0129_publish_dispatches": publishedDispatches,
  "0131_rotate_keys": rotatedKeys,
  "0132_notify_of_openadr": openAdrNotifications,
  "0133_show_enrolled_sites": enrolledSites,
  "0134_bound_openadr": boundedOpenAdr
}
