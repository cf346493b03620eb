// Generated from the API by `npm run types`; do not edit.

export interface paths {
    "/api/assets/manifest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Art Manifest
         * @description Maps asset keys to files, served at /api/assets/{path}; the site draws keys without a file.
         */
        get: operations["get_art_manifest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/assets/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Asset
         * @description One file, by its path in the manifest.
         */
        get: operations["get_asset"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/games": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Games
         * @description All games.
         */
        get: operations["list_games"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/games/{game}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Game
         * @description The spec of a game under these settings: names, sizes, ranges, units.
         */
        get: operations["get_game"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/games/{game}/bots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Bots
         * @description The bots of a game.
         */
        get: operations["list_bots"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/games/{game}/scores": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Scores
         * @description How bots and the newest policy score on one seed; shown after a game that a human played.
         */
        get: operations["list_scores"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/newest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Newest
         * @description The most recently updated run, its newest window and the newest replay.
         */
        get: operations["get_newest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/play/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create Session
         * @description Start a game.
         */
        post: operations["create_session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/play/session/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Session
         * @description The current state; keeps the session alive.
         */
        get: operations["get_session"];
        put?: never;
        post?: never;
        /**
         * Delete Session
         * @description End a game.
         */
        delete: operations["delete_session"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/play/session/{session_id}/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reset Session
         * @description Start a new episode with the given seed or the next one.
         */
        post: operations["reset_session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/play/session/{session_id}/step": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Step Session
         * @description Play one action; 409 after the end of the episode.
         */
        post: operations["step_session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pretrained": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Pretrained
         * @description The games that trained policies ship for.
         */
        get: operations["list_pretrained"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pretrained/{game}/learning": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Pretrained Learning
         * @description How it learned: the same seeds at every stage.
         */
        get: operations["get_pretrained_learning"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pretrained/{game}/policies/{role}.onnx": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Pretrained Policy
         * @description The policy of a role.
         */
        get: operations["get_pretrained_policy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pretrained/{game}/replays/{replay_id}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Pretrained Replay
         * @description A match of a stage.
         */
        get: operations["get_pretrained_replay"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Runs
         * @description All runs, most recently updated first.
         */
        get: operations["list_runs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{run_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Run
         * @description One run: its record (run.json) and its configuration (config.json).
         */
        get: operations["get_run"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{run_id}/analytics/completeness": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Completeness
         * @description Which data a run has, what is missing, and how old it is. The overall status is the worst of all.
         */
        get: operations["get_completeness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{run_id}/checkpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Checkpoints
         * @description The stored checkpoints, oldest first: the newest few, the best, and every n-th where configured.
         */
        get: operations["list_checkpoints"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{run_id}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Files
         * @description All files of the run that can be downloaded.
         */
        get: operations["list_files"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{run_id}/files/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Run File
         * @description One file; range requests are supported.
         */
        get: operations["get_run_file"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{run_id}/league": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get League
         * @description The newest league with this run, else the newest of its game: ratings and the cross-play matrix.
         */
        get: operations["get_league"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{run_id}/learning": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Learning
         * @description The same seeds before training and at every evaluated checkpoint; empty until one was evaluated.
         */
        get: operations["get_learning"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{run_id}/metrics/windows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Windows
         * @description The newest windows, derived metrics included.
         */
        get: operations["list_windows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{run_id}/metrics/windows/{window_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Window
         * @description One window.
         */
        get: operations["get_window"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{run_id}/policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Policies
         * @description One policy per role and stored checkpoint, newest first.
         */
        get: operations["list_policies"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{run_id}/policies/{role}/{window}.onnx": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Policy
         * @description The policy of a role in one checkpoint.
         */
        get: operations["get_policy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{run_id}/ratings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Ratings
         * @description The evaluation of each window against fixed opponents on held-out seeds; damaged lines are skipped.
         */
        get: operations["list_ratings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{run_id}/replays": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Replays
         * @description Replays that match every filter, newest first by window, time and id. An unknown tag matches none.
         */
        get: operations["list_replays"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{run_id}/replays/{replay_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Replay
         * @description One replay: its index entry, header, end and events.
         */
        get: operations["get_replay"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{run_id}/replays/{replay_id}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Replay File
         * @description The replay file: seed and actions, a few kilobytes that the engine re-simulates in a browser.
         */
        get: operations["get_replay_file"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{run_id}/replays/{replay_id}/frames": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Frames
         * @description Frames by page, re-simulated natively; frames of a Godot match are read from the file.
         */
        get: operations["list_frames"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{run_id}/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Tags
         * @description The tags of the run's replays with their counts.
         */
        get: operations["list_tags"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wandb/runs/latest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Wandb Latest Runs
         * @description The newest runs of a project.
         */
        get: operations["wandb_latest_runs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wandb/runs/{wandb_run_id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Wandb Run History
         * @description Logged rows, sampled to max_points.
         */
        get: operations["wandb_run_history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wandb/runs/{wandb_run_id}/iteration-view": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Wandb Iteration View
         * @description Run, history and key metrics in one response.
         */
        get: operations["wandb_iteration_view"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wandb/runs/{wandb_run_id}/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Wandb Run Summary
         * @description One run with its config and summary.
         */
        get: operations["wandb_run_summary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wandb/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Wandb Status
         * @description Whether Weights & Biases is available, and why not.
         */
        get: operations["wandb_status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Health
         * @description Status and versions, for monitoring.
         */
        get: operations["get_health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * ArtManifest
         * @description Files by asset key.
         */
        ArtManifest: {
            /** Graphics */
            graphics: {
                [key: string]: string;
            };
            /** Packs */
            packs: components["schemas"]["PackCredit"][];
            /** Schema Version */
            schema_version: number;
            /** Sounds */
            sounds: {
                [key: string]: string[];
            };
        };
        /**
         * BestReport
         * @description The evaluation of best.pt on seeds that were not used to choose it.
         */
        BestReport: {
            /** Episodes */
            episodes: number | null;
            /** Rating Intervals */
            rating_intervals: {
                [key: string]: [
                    number,
                    number
                ];
            };
            /** Ratings */
            ratings: {
                [key: string]: number;
            };
            /** Value */
            value: number | null;
            /** Value Interval */
            value_interval: [
                number,
                number
            ] | null;
            /**
             * Windows
             * @description the window of each role; empty where all are of best_window
             */
            windows: {
                [key: string]: number;
            };
        };
        /**
         * BotInfo
         * @description One bot and its levels.
         */
        BotInfo: {
            /** Levels */
            levels: number;
            /** Name */
            name: string;
            /**
             * Role
             * @description the role it can play; all for any
             */
            role: string;
            /** Text */
            text: string;
        };
        /**
         * BotList
         * @description A game's bots.
         */
        BotList: {
            /** Bots */
            bots: components["schemas"]["BotInfo"][];
            /** Count */
            count: number;
            /** Game */
            game: string;
        };
        /**
         * CheckpointFile
         * @description One checkpoint of a run.
         */
        CheckpointFile: {
            /** Best */
            best: boolean;
            /** Bytes */
            bytes: number;
            /** Env Steps Total */
            env_steps_total: number | null;
            /** Newest */
            newest: boolean;
            /** Path */
            path: string;
            /** Updated At */
            updated_at: string;
            /** Url */
            url: string;
            /** Window Id */
            window_id: number;
        };
        /**
         * CheckpointList
         * @description A run's checkpoints, newest first.
         */
        CheckpointList: {
            /** Best Value */
            best_value: number | null;
            /** Best Window */
            best_window: number | null;
            /** Checkpoints */
            checkpoints: components["schemas"]["CheckpointFile"][];
            /** Count */
            count: number;
            /** Newest Window */
            newest_window: number | null;
            /** Run Id */
            run_id: string;
        };
        /**
         * Completeness
         * @description What a run has, and what is missing.
         */
        Completeness: {
            /** Checked At */
            checked_at: string;
            /** Coverage */
            coverage: components["schemas"]["Coverage"][];
            /**
             * Overall Status
             * @enum {string}
             */
            overall_status: "ok" | "stale" | "missing" | "error";
            run_context: components["schemas"]["RunContext"];
            /** Stale After Seconds */
            stale_after_seconds: number;
            status_counts: components["schemas"]["StatusCounts"];
            wandb_scope: components["schemas"]["WandbScope"];
        };
        /**
         * Coverage
         * @description One part of a run's data: is it there, complete and current?
         */
        Coverage: {
            /** Key */
            key: string;
            /** Label */
            label: string;
            lineage: components["schemas"]["Lineage"];
            /** Missing Fields */
            missing_fields: string[];
            /** Notes */
            notes: string[];
            /** Observed Count */
            observed_count: number;
            /** Required Fields */
            required_fields: string[];
            /**
             * Status
             * @enum {string}
             */
            status: "ok" | "stale" | "missing" | "error";
        };
        /**
         * CrossPlay
         * @description Who wins against whom: the share of the row's wins.
         */
        CrossPlay: {
            /** Column Role */
            column_role: string;
            /** Columns */
            columns: string[];
            /** Row Role */
            row_role: string;
            /** Row Wins */
            row_wins: number[][];
            /** Rows */
            rows: string[];
        } & {
            [key: string]: unknown;
        };
        /**
         * Deleted
         * @description Confirms that a session is gone.
         */
        Deleted: {
            /** Deleted */
            deleted: boolean;
            /** Session Id */
            session_id: string;
        };
        /**
         * ErrorResponse
         * @description The body of every error response.
         */
        ErrorResponse: {
            /**
             * Detail
             * @description a sentence for people: what happened, what was expected, what to do
             */
            detail: string;
            /**
             * Error
             * @description a code for programs: not_found, bad_request, damaged, …
             */
            error: string;
            /**
             * Field Errors
             * @description of an invalid request: what is wrong
             * @default []
             */
            field_errors: components["schemas"]["FieldError"][];
            /** Status Code */
            status_code: number;
        };
        /**
         * Evaluation
         * @description The evaluation of a window's checkpoint on the seeds that choose the best one.
         */
        Evaluation: {
            /** Env Steps Total */
            env_steps_total: number | null;
            /**
             * Intervals
             * @description 95 %, of shares and ratings, by metric
             */
            intervals: {
                [key: string]: [
                    number,
                    number
                ];
            };
            /** Metrics */
            metrics: {
                [key: string]: unknown;
            };
            /**
             * Rating Intervals
             * @description 95 %, by role
             */
            rating_intervals: {
                [key: string]: [
                    number,
                    number
                ];
            };
            /**
             * Ratings
             * @description by role, on the game's fixed scale
             */
            ratings: {
                [key: string]: number;
            };
            /**
             * Value
             * @description the metric by which checkpoints are compared; higher is better
             */
            value: number | null;
            /** Window Id */
            window_id: number;
        };
        /**
         * FieldError
         * @description What is wrong with one field of a request.
         */
        FieldError: {
            /**
             * Location
             * @description for example query.limit or body.action
             */
            location: string;
            /** Message */
            message: string;
        };
        /**
         * FileList
         * @description Files of a run that may be downloaded.
         */
        FileList: {
            /** Count */
            count: number;
            /** Files */
            files: components["schemas"]["RunFile"][];
            /** Run Id */
            run_id: string;
        };
        /**
         * Frame
         * @description One step of a replay, by name. With several agents, action and reward have one entry per agent.
         */
        Frame: {
            /** Action */
            action: number | number[] | number[] | number[][];
            /** Dt */
            dt: number;
            /** Events */
            events: {
                [key: string]: unknown;
            }[];
            /** Frame Index */
            frame_index: number;
            /** Info */
            info?: {
                [key: string]: unknown;
            } | null;
            /** Render State */
            render_state: {
                [key: string]: unknown;
            };
            /** Reward */
            reward: number | number[];
            /**
             * Schema Version
             * @default 1
             */
            schema_version: number;
            /** T */
            t: number;
            /** Terminated */
            terminated: boolean;
            /** Truncated */
            truncated: boolean;
        };
        /**
         * FramePage
         * @description A range of frames of a replay.
         */
        FramePage: {
            /** Count */
            count: number;
            /** Frames */
            frames: components["schemas"]["Frame"][];
            /** Has More */
            has_more: boolean;
            /** Next Offset */
            next_offset: number;
            /** Offset */
            offset: number;
            /**
             * Opening
             * @description what is drawn before the first step; at offset 0 only
             */
            opening: {
                [key: string]: unknown;
            } | null;
            /** Replay Id */
            replay_id: string;
            /** Run Id */
            run_id: string;
            /** Total */
            total: number;
        };
        /**
         * GameList
         * @description The games of this engine.
         */
        GameList: {
            /** Count */
            count: number;
            /** Games */
            games: components["schemas"]["GameSummary"][];
        };
        /**
         * GameSpec
         * @description A game under one set of settings.
         */
        GameSpec: {
            /**
             * Config
             * @description every setting with its value
             */
            config: {
                [key: string]: unknown;
            };
            /** Name */
            name: string;
            /** Profile */
            profile: string;
            /**
             * Spec
             * @description as `sandlot games NAME --json` prints it
             */
            spec: {
                [key: string]: unknown;
            };
            /** Spec Hash */
            spec_hash: string;
        };
        /**
         * GameSummary
         * @description One line of the list of games.
         */
        GameSummary: {
            /** Agents */
            agents: number;
            /** Discrete */
            discrete: boolean;
            /** Masked */
            masked: boolean;
            /** Name */
            name: string;
            /** Profiles */
            profiles: string[];
            /** Roles */
            roles: string[];
            /** Spec Url */
            spec_url: string;
            /** Text */
            text: string;
            /** Title */
            title: string;
            /** Version */
            version: string;
        };
        /**
         * Headline
         * @description The episode field by which players of a single-agent game are ranked.
         */
        Headline: {
            /** Better */
            better: string;
            /**
             * Kind
             * @description flag: its mean is a share of episodes; measure: a number
             */
            kind: string;
            /** Metric */
            metric: string;
            /** Name */
            name: string;
            /** Unit */
            unit: string;
        };
        /**
         * Health
         * @description Whether the server works, and its versions.
         */
        Health: {
            /** Engine */
            engine: string;
            /** Sessions */
            sessions: number;
            /**
             * Status
             * @default ok
             * @constant
             */
            status: "ok";
            /** Version */
            version: string;
        };
        /**
         * IndexEntry
         * @description One row of the replay catalogue.
         */
        IndexEntry: {
            /** Checkpoint Env Steps Total */
            checkpoint_env_steps_total?: number | null;
            /** Checkpoint Path */
            checkpoint_path?: string | null;
            /** Config Hash */
            config_hash: string;
            /** Created At */
            created_at: string;
            /** Engine Version */
            engine_version: string;
            /**
             * Measures
             * @default {}
             */
            measures: {
                [key: string]: number;
            };
            /** Policy Name */
            policy_name: string;
            /** Replay Id */
            replay_id: string;
            /** Replay Path */
            replay_path: string;
            /** Return Total */
            return_total: number;
            /** Run Id */
            run_id: string;
            /**
             * Schema Version
             * @default 1
             */
            schema_version: number;
            /** Seed */
            seed: string;
            /** Steps */
            steps: number;
            /**
             * Tags
             * @default []
             */
            tags: string[];
            /** Terminated */
            terminated: boolean;
            /** Trainer Backend */
            trainer_backend?: string | null;
            /** Truncated */
            truncated: boolean;
            /** Window Id */
            window_id: number;
        };
        /**
         * League
         * @description A league.json as `sandlot league` writes it.
         */
        League: {
            /**
             * Checkpoints
             * @default []
             */
            checkpoints: {
                [key: string]: unknown;
            }[];
            /**
             * Episodes
             * @description per pair, or per player of a single-agent game
             */
            episodes?: number | null;
            /** Game */
            game: string;
            headline?: components["schemas"]["Headline"] | null;
            /**
             * Labels
             * @description short names of long ones
             * @default {}
             */
            labels: {
                [key: string]: string;
            };
            matrix?: components["schemas"]["CrossPlay"] | null;
            /** Ranking */
            ranking?: components["schemas"]["RankedPlayer"][] | null;
            /** Standings */
            standings?: components["schemas"]["Standing"][] | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * LeagueReport
         * @description The newest league that concerns a run.
         */
        LeagueReport: {
            /** Found */
            found: boolean;
            /**
             * Hint
             * @description what to do when there is no league
             */
            hint: string | null;
            /** Path */
            path: string | null;
            /** @description standings and matrix, or a ranking; see docs/training.md */
            report: components["schemas"]["League"] | null;
            /** Run Id */
            run_id: string;
            /**
             * Takes Part
             * @description whether this run played in it; else it is another league of the game
             */
            takes_part: boolean;
            /** Updated At */
            updated_at: string | null;
        };
        /**
         * LearningHistory
         * @description Every stage of a training, from before the first step to the end.
         */
        LearningHistory: {
            /** Count */
            count: number;
            /** Game */
            game: string;
            /**
             * Run Id
             * @description null for what ships with Sandlot
             */
            run_id: string | null;
            /** Stages */
            stages: components["schemas"]["Stage"][];
        };
        /**
         * LearningResult
         * @description One number about a stage, with its 95 % interval, measured on many held-out seeds.
         */
        LearningResult: {
            /**
             * Better
             * @default none
             */
            better: string;
            /** High */
            high: number | null;
            /** Label */
            label: string;
            /** Low */
            low: number | null;
            /**
             * Role
             * @default
             */
            role: string;
            /**
             * Share
             * @default true
             */
            share: boolean;
            /**
             * Unit
             * @default
             */
            unit: string;
            /** Value */
            value: number;
        };
        /**
         * Lineage
         * @description The source of a part, and when it last changed.
         */
        Lineage: {
            /** Path */
            path: string | null;
            /** Source */
            source: string;
            /** Updated At */
            updated_at: string | null;
        };
        /**
         * NewSession
         * @description What to play. An empty body starts a prospector game.
         */
        NewSession: {
            /**
             * Config
             * @description settings of the game; also profile
             * @default {}
             */
            config: {
                [key: string]: boolean | number | string;
            };
            /**
             * Env Time Max
             * @description ticks of a prospector episode; 20000 without it
             */
            env_time_max?: number | null;
            /**
             * Game
             * @default prospector
             * @enum {string}
             */
            game: "tag" | "prospector" | "landing" | "navigation";
            /**
             * Opponents
             * @description who plays the other agents of each role; the default bot without it
             * @default {}
             */
            opponents: {
                [key: string]: components["schemas"]["OpponentRequest"];
            };
            /**
             * Role
             * @description which role the human plays; the first without it
             */
            role?: string | null;
            /**
             * Seed
             * @description random when it is not given
             */
            seed?: number | null;
        };
        /**
         * Newest
         * @description The newest run, window and replay.
         */
        Newest: {
            /** @description its newest replay; of another run while it has none */
            replay: components["schemas"]["IndexEntry"] | null;
            /** @description null while there is no run */
            run: components["schemas"]["RunSummary"] | null;
            /** @description its newest window */
            window: components["schemas"]["WindowRow"] | null;
        };
        /**
         * OpponentRequest
         * @description Who plays a role: a bot, or the policy of a run.
         */
        OpponentRequest: {
            /**
             * Bot
             * @description a bot; /api/games/{game}/bots lists them
             */
            bot?: string | null;
            /**
             * Level
             * @description of the bot; its highest without one
             */
            level?: number | null;
            /**
             * Run Id
             * @description a run whose policy plays
             */
            run_id?: string | null;
            /**
             * Window
             * @description which checkpoint of the run; best is the newest until one was evaluated
             * @default best
             */
            window: number | ("newest" | "best");
        };
        /**
         * PackCredit
         * @description Name and licence of a pack.
         */
        PackCredit: {
            /** Licence */
            licence: string;
            /** Licence Files */
            licence_files: string[];
            /** Name */
            name: string;
        };
        /**
         * PlayState
         * @description The state of a game.
         */
        PlayState: {
            /**
             * Agent
             * @description which agent of the world the human plays
             */
            agent: number;
            /** Created At */
            created_at: string;
            /** Env Time Max */
            env_time_max: number | null;
            /** Events */
            events: {
                [key: string]: unknown;
            }[];
            /** Game */
            game: string;
            /** Info */
            info: {
                [key: string]: unknown;
            };
            /**
             * Mask
             * @description by action id: whether it is legal now; null without ids
             */
            mask: boolean[] | null;
            /**
             * Obs
             * @description observation of the human's agent
             */
            obs: number[];
            /**
             * Opponents
             * @description who plays each other agent
             */
            opponents: {
                [key: string]: string;
            };
            /** Profile */
            profile: string;
            /** Render State */
            render_state: {
                [key: string]: unknown;
            };
            /** Reward */
            reward: number;
            /** Role */
            role: string;
            /** Seed */
            seed: number;
            /** Session Id */
            session_id: string;
            /** Steps */
            steps: number;
            /** Terminated */
            terminated: boolean;
            /** Ticks */
            ticks: number;
            /** Total Reward */
            total_reward: number;
            /** Truncated */
            truncated: boolean;
            /** Updated At */
            updated_at: string;
        };
        /**
         * PolicyInfo
         * @description One exported policy that the browser can run.
         */
        PolicyInfo: {
            /** Best */
            best: boolean;
            /** Env Steps Total */
            env_steps_total: number | null;
            /** Newest */
            newest: boolean;
            /** Role */
            role: string;
            /**
             * Url
             * @description its ONNX file, exported on the first request
             */
            url: string;
            /** Window Id */
            window_id: number;
        };
        /**
         * PolicyList
         * @description A run's exported policies.
         */
        PolicyList: {
            /**
             * Available
             * @description whether this server can export
             */
            available: boolean;
            /** Count */
            count: number;
            /** Game */
            game: string;
            /** Policies */
            policies: components["schemas"]["PolicyInfo"][];
            /** Reason */
            reason: string | null;
            /** Run Id */
            run_id: string;
        };
        /**
         * PretrainedGame
         * @description What ships for one game.
         */
        PretrainedGame: {
            /**
             * Command
             * @description that trained it
             */
            command: string;
            /** Env Steps Total */
            env_steps_total: number;
            /** Game */
            game: string;
            /**
             * Learning Url
             * @description how it learned: the same seeds at every stage
             */
            learning_url: string;
            /** Machine */
            machine: string;
            /** Policies */
            policies: components["schemas"]["PretrainedPolicy"][];
            /** Trained S */
            trained_s: number | null;
        };
        /**
         * PretrainedList
         * @description Everything that ships.
         */
        PretrainedList: {
            /** Count */
            count: number;
            /** Games */
            games: components["schemas"]["PretrainedGame"][];
        };
        /**
         * PretrainedPolicy
         * @description One role's policy.
         */
        PretrainedPolicy: {
            /** Role */
            role: string;
            /**
             * Url
             * @description its ONNX file
             */
            url: string;
        };
        /**
         * RankedPlayer
         * @description One player of a single-agent game.
         */
        RankedPlayer: {
            /** Name */
            name: string;
            /** Scripted */
            scripted: boolean;
            /**
             * Value
             * @description mean of the headline
             */
            value: number;
            /**
             * Value Interval
             * @description 95 %
             */
            value_interval: [
                number,
                number
            ];
        } & {
            [key: string]: unknown;
        };
        /**
         * RatingList
         * @description Evaluations of a run, and its best checkpoint.
         */
        RatingList: {
            /** @description null until the best checkpoint was evaluated again */
            best: components["schemas"]["BestReport"] | null;
            /** Best Window */
            best_window: number | null;
            /** Count */
            count: number;
            /** Ratings */
            ratings: components["schemas"]["Evaluation"][];
            /** Run Id */
            run_id: string;
            /** Total */
            total: number;
        };
        /**
         * ReplayDetail
         * @description A replay without its frames.
         */
        ReplayDetail: {
            end: components["schemas"]["ReplayEnd"] | null;
            /**
             * Events
             * @description of the whole episode; payloads come with the frames
             */
            events: components["schemas"]["ReplayEvent"][];
            /** File Url */
            file_url: string;
            /** Frames Url */
            frames_url: string;
            /** @description null when the file cannot be read */
            header: components["schemas"]["ReplayHeader"] | null;
            /**
             * Playable
             * @description whether this server can make its frames
             */
            playable: boolean;
            replay: components["schemas"]["IndexEntry"];
            /** Run Id */
            run_id: string;
            /** Socket Url */
            socket_url: string;
            /** Why Not */
            why_not: string | null;
        };
        /**
         * ReplayEnd
         * @description Last line of a replay: its result, which `verify` must reproduce.
         */
        ReplayEnd: {
            /** Episode */
            episode: {
                [key: string]: unknown;
            };
            /**
             * Kind
             * @default end
             * @constant
             */
            kind: "end";
            /** Returns */
            returns: number[];
            /**
             * Schema Version
             * @default 1
             */
            schema_version: number;
            /** Steps */
            steps: number;
            /** Terminated */
            terminated: boolean;
            /** Ticks */
            ticks: number;
            /** Truncated */
            truncated: boolean;
        };
        /**
         * ReplayEvent
         * @description Something that happened in a replay, with its step.
         */
        ReplayEvent: {
            /** Name */
            name: string;
            /** Step */
            step: number;
        };
        /**
         * ReplayHeader
         * @description First line of a replay: what was played. Seed, config and actions rebuild the episode, if the native
         *     engine played it; what was played elsewhere is kept as frames.
         */
        ReplayHeader: {
            /**
             * Action Encoding
             * @enum {string}
             */
            action_encoding: "int8" | "int16" | "q127" | "float32";
            /** Action Shape */
            action_shape: number[];
            /** Agents */
            agents: string[];
            /** Checkpoint Env Steps Total */
            checkpoint_env_steps_total?: number | null;
            /** Checkpoint Path */
            checkpoint_path?: string | null;
            /** Config */
            config: {
                [key: string]: unknown;
            };
            /** Created At */
            created_at: string;
            /** Engine */
            engine: string;
            /** Game */
            game: string;
            /** Game Version */
            game_version: string;
            /**
             * Kind
             * @default header
             * @constant
             */
            kind: "header";
            /**
             * Played In
             * @default native
             */
            played_in: string;
            /** Policies */
            policies: {
                [key: string]: string;
            };
            /** Replay Id */
            replay_id: string;
            /** Run Id */
            run_id?: string | null;
            /**
             * Schema Version
             * @default 1
             */
            schema_version: number;
            /**
             * Scored Agent
             * @default 0
             */
            scored_agent: number;
            /** Seed */
            seed: string;
            /** Spec Hash */
            spec_hash: string;
            /**
             * Tags
             * @default []
             */
            tags: string[];
            /** Trainer Backend */
            trainer_backend?: string | null;
            /** Window Id */
            window_id?: number | null;
        };
        /**
         * ReplayList
         * @description Replays of a run that match a query.
         */
        ReplayList: {
            /** Count */
            count: number;
            /** Index Path */
            index_path: string;
            /** Replays */
            replays: components["schemas"]["IndexEntry"][];
            /** Run Id */
            run_id: string;
            /**
             * Total
             * @description all replays of the run, without filters
             */
            total: number;
        };
        /**
         * ResetSession
         * @description How to begin the next episode.
         */
        ResetSession: {
            /**
             * Seed
             * @description the last seed plus one when it is not given
             */
            seed?: number | null;
        };
        /**
         * Resume
         * @description One resumption of a run.
         */
        Resume: {
            /** At */
            at: string;
            /** Window Id */
            window_id: number | null;
        };
        /**
         * RunContext
         * @description The run that was checked.
         */
        RunContext: {
            /** Env Steps Total */
            env_steps_total: number | null;
            /** Finished At */
            finished_at: string | null;
            /** Game */
            game: string | null;
            /** Latest Replay */
            latest_replay: string | null;
            /** Latest Window */
            latest_window: number | null;
            /** Run Id */
            run_id: string;
            /** Started At */
            started_at: string | null;
            /** Status */
            status: string | null;
            /** Trainer Backend */
            trainer_backend: string | null;
            /** Updated At */
            updated_at: string | null;
            /** Windows Emitted */
            windows_emitted: number | null;
        };
        /**
         * RunDetail
         * @description One run with its configuration.
         */
        RunDetail: {
            /** Config */
            config: {
                [key: string]: unknown;
            };
            metadata: components["schemas"]["RunRecord"];
            /** Replay Count */
            replay_count: number;
            /** Run Id */
            run_id: string;
            /** Trackers */
            trackers: components["schemas"]["Tracker"][];
            /** Window Count */
            window_count: number;
        };
        /**
         * RunFile
         * @description One file of a run's folder.
         */
        RunFile: {
            /** Bytes */
            bytes: number;
            /**
             * Kind
             * @description settings, metrics, weights, export, replay, chart, video, log, tensorboard
             */
            kind: string;
            /**
             * Path
             * @description from the run folder, with forward slashes
             */
            path: string;
            /** Updated At */
            updated_at: string;
            /** Url */
            url: string;
        };
        /**
         * RunList
         * @description Runs, newest first.
         */
        RunList: {
            /** Count */
            count: number;
            /** Runs */
            runs: components["schemas"]["RunSummary"][];
            /** Total */
            total: number;
        };
        /**
         * RunRecord
         * @description run.json. All paths are relative to the run folder. An env step is one `step()` of one world.
         *
         *     Schema 1 counted env steps in ticks; schema 2 called `trainer_info` facts.
         */
        RunRecord: {
            /** Checkpoints Dir */
            checkpoints_dir: string;
            /**
             * Checkpoints Written
             * @default 0
             */
            checkpoints_written: number;
            /** Config Path */
            config_path: string;
            /** Constellation Url */
            constellation_url?: string | null;
            /**
             * Env Steps Total
             * @default 0
             */
            env_steps_total: number;
            /**
             * Episodes Total
             * @default 0
             */
            episodes_total: number;
            /** Error */
            error?: string | null;
            /** Finished At */
            finished_at?: string | null;
            /** Game */
            game: string;
            /**
             * Info Metric Keys
             * @default []
             */
            info_metric_keys: string[];
            /** Latest Checkpoint */
            latest_checkpoint?: string | null;
            /** Latest Replay */
            latest_replay?: string | null;
            /** Latest Window */
            latest_window?: number | null;
            /** Metrics Episodes Path */
            metrics_episodes_path: string;
            /** Metrics Windows Path */
            metrics_windows_path: string;
            /** Replay Index Path */
            replay_index_path: string;
            /** Replays Dir */
            replays_dir: string;
            /**
             * Resumes
             * @default []
             */
            resumes: components["schemas"]["Resume"][];
            /**
             * Retention
             * @default {}
             */
            retention: {
                [key: string]: number;
            };
            /** Run Id */
            run_id: string;
            /**
             * Schema Version
             * @default 3
             */
            schema_version: number;
            /**
             * Seed
             * @default 0
             */
            seed: string;
            /** Spec Hash */
            spec_hash?: string | null;
            /** Started At */
            started_at: string;
            /**
             * Status
             * @default running
             * @enum {string}
             */
            status: "running" | "completed" | "failed" | "stopped" | "interrupted";
            /** Target Env Steps */
            target_env_steps?: number | null;
            /**
             * Ticks Total
             * @default 0
             */
            ticks_total: number;
            /** Trainer Backend */
            trainer_backend: string;
            /**
             * Trainer Info
             * @default {}
             */
            trainer_info: {
                [key: string]: unknown;
            };
            /** Updated At */
            updated_at: string;
            /**
             * Versions
             * @default {}
             */
            versions: {
                [key: string]: string;
            };
            /** Wandb Run Url */
            wandb_run_url?: string | null;
            /** Window Env Steps */
            window_env_steps: number;
            /**
             * Windows Emitted
             * @default 0
             */
            windows_emitted: number;
        } & {
            [key: string]: unknown;
        };
        /**
         * RunSummary
         * @description One run in a list.
         */
        RunSummary: {
            /** Checkpoints Written */
            checkpoints_written: number;
            /** Constellation Url */
            constellation_url: string | null;
            /** Env Steps Total */
            env_steps_total: number;
            /** Episodes Total */
            episodes_total: number;
            /** Error */
            error: string | null;
            /** Finished At */
            finished_at: string | null;
            /** Game */
            game: string;
            /** Latest Checkpoint */
            latest_checkpoint: string | null;
            /** Latest Replay */
            latest_replay: string | null;
            /** Latest Window */
            latest_window: number | null;
            /** Replay Count */
            replay_count: number;
            /** Run Id */
            run_id: string;
            /** Seed */
            seed: string;
            /** Started At */
            started_at: string;
            /** Status */
            status: string;
            /** Target Env Steps */
            target_env_steps: number | null;
            /** Trainer Backend */
            trainer_backend: string;
            /** Updated At */
            updated_at: string;
            /** Wandb Run Url */
            wandb_run_url: string | null;
            /** Window Env Steps */
            window_env_steps: number;
            /** Windows Emitted */
            windows_emitted: number;
        };
        /**
         * Score
         * @description One player's episode on the seed.
         */
        Score: {
            /**
             * Against
             * @description who played the other role; null in a single-agent game
             */
            against: string | null;
            /**
             * Episode
             * @description the game's own sums, by name
             * @default {}
             */
            episode: {
                [key: string]: unknown;
            };
            /**
             * Finished
             * @description false when the episode exceeded the step limit
             */
            finished: boolean;
            /** Name */
            name: string;
            /** Return Total */
            return_total?: number | null;
            /** Role */
            role: string;
            /** Run Id */
            run_id?: string | null;
            /** Scripted */
            scripted: boolean;
            /** Window Id */
            window_id?: number | null;
        };
        /**
         * ScoreList
         * @description What each bot achieved on one seed.
         */
        ScoreList: {
            /** Config */
            config: {
                [key: string]: unknown;
            };
            /** Count */
            count: number;
            /** Game */
            game: string;
            /** Profile */
            profile: string;
            /** Scores */
            scores: components["schemas"]["Score"][];
            /** Seed */
            seed: string;
        };
        /**
         * Stage
         * @description The policies at one moment of training.
         */
        Stage: {
            /** Env Steps Total */
            env_steps_total: number;
            /**
             * Episodes
             * @description held-out matches behind each share
             */
            episodes: number;
            /** Replays */
            replays: components["schemas"]["StageReplay"][];
            /**
             * Results
             * @description most telling first, with 95 % intervals
             */
            results: components["schemas"]["LearningResult"][];
            /**
             * Trained S
             * @description seconds of training; null where the run does not say
             */
            trained_s: number | null;
            /**
             * Window Id
             * @description null: before the first step
             */
            window_id: number | null;
        };
        /**
         * StageReplay
         * @description A match of a stage; the same place in every stage's list is the same seed.
         */
        StageReplay: {
            /** Ending */
            ending: string;
            /** Replay Id */
            replay_id: string;
            /** Seed */
            seed: string;
            /** Steps */
            steps: number;
            /**
             * Url
             * @description its file, as of every replay
             */
            url: string;
        };
        /**
         * Standing
         * @description The rating of one player in one role.
         */
        Standing: {
            /** Name */
            name: string;
            /** Rating */
            rating: number;
            /**
             * Rating Interval
             * @description 95 %
             */
            rating_interval?: [
                number,
                number
            ] | null;
            /** Role */
            role: string;
            /** Scripted */
            scripted: boolean;
        } & {
            [key: string]: unknown;
        };
        /**
         * StatusCounts
         * @description How many parts have each status.
         */
        StatusCounts: {
            /** Error */
            error: number;
            /** Missing */
            missing: number;
            /** Ok */
            ok: number;
            /** Stale */
            stale: number;
        };
        /**
         * StepSession
         * @description Actions of one step.
         */
        StepSession: {
            /**
             * Action
             * @description an id (prospector: 0 to 68), or numbers from -1 to 1 (tag: move_x, move_z, jump)
             */
            action: number | number[];
        };
        /**
         * StepState
         * @description The game after a step.
         */
        StepState: {
            /** Action */
            action: number | number[];
            /**
             * Agent
             * @description which agent of the world the human plays
             */
            agent: number;
            /** Created At */
            created_at: string;
            /** Env Time Max */
            env_time_max: number | null;
            /** Events */
            events: {
                [key: string]: unknown;
            }[];
            /** Game */
            game: string;
            /** Info */
            info: {
                [key: string]: unknown;
            };
            /**
             * Mask
             * @description by action id: whether it is legal now; null without ids
             */
            mask: boolean[] | null;
            /**
             * Obs
             * @description observation of the human's agent
             */
            obs: number[];
            /**
             * Opponents
             * @description who plays each other agent
             */
            opponents: {
                [key: string]: string;
            };
            /** Profile */
            profile: string;
            /** Render State */
            render_state: {
                [key: string]: unknown;
            };
            /** Reward */
            reward: number;
            /** Role */
            role: string;
            /** Seed */
            seed: number;
            /** Session Id */
            session_id: string;
            /** Steps */
            steps: number;
            /** Terminated */
            terminated: boolean;
            /** Ticks */
            ticks: number;
            /** Total Reward */
            total_reward: number;
            /** Truncated */
            truncated: boolean;
            /** Updated At */
            updated_at: string;
        };
        /**
         * TagCount
         * @description A replay tag and how many replays have it.
         */
        TagCount: {
            /** Count */
            count: number;
            /** Tag */
            tag: string;
        };
        /**
         * TagList
         * @description Replay tags of a run.
         */
        TagList: {
            /** Run Id */
            run_id: string;
            /** Tags */
            tags: components["schemas"]["TagCount"][];
        };
        /**
         * Tracker
         * @description Another place where the metrics of a run are.
         */
        Tracker: {
            /**
             * Command
             * @description the command that opens or uploads it
             */
            command: string | null;
            /**
             * Name
             * @description Weights & Biases, TensorBoard
             */
            name: string;
            /**
             * Url
             * @description its web page; null when the data is only on this machine
             */
            url: string | null;
        };
        /**
         * WandbCache
         * @description The cache of responses, and how often it helped.
         */
        WandbCache: {
            /** Entries */
            entries: number;
            /** Hits */
            hits: number;
            /** Misses */
            misses: number;
            /** Seconds */
            seconds: number;
        };
        /**
         * WandbDefaults
         * @description Entity and project that the site suggests.
         */
        WandbDefaults: {
            /** Entity */
            entity: string | null;
            /** Project */
            project: string | null;
        };
        /**
         * WandbHistory
         * @description Logged metrics of a run there.
         */
        WandbHistory: {
            /** Count */
            count: number;
            /** Entity */
            entity: string;
            /** Keys */
            keys: string[];
            /** Project */
            project: string;
            /** Rows */
            rows: {
                [key: string]: unknown;
            }[];
            /** Run Id */
            run_id: string;
        };
        /**
         * WandbIterationView
         * @description A run there with its history and headline metrics.
         */
        WandbIterationView: {
            /** Entity */
            entity: string;
            history: components["schemas"]["WandbHistory"];
            /** Kpis */
            kpis: components["schemas"]["WandbKpi"][];
            /** Project */
            project: string;
            run: components["schemas"]["WandbRun"];
        };
        /**
         * WandbKpi
         * @description One headline metric.
         */
        WandbKpi: {
            /** Best */
            best: number;
            /** Change */
            change: number | null;
            /** Key */
            key: string;
            /** Last */
            last: number;
        };
        /**
         * WandbRun
         * @description One run there.
         */
        WandbRun: {
            /** Config */
            config: {
                [key: string]: unknown;
            };
            /** Created At */
            created_at: string | null;
            /** Group */
            group: string | null;
            /** History Rows */
            history_rows: number | null;
            /** Id */
            id: string;
            /** Job Type */
            job_type: string | null;
            /** Name */
            name: string;
            /** State */
            state: string | null;
            /** Summary */
            summary: {
                [key: string]: unknown;
            };
            /** Tags */
            tags: string[];
            /** Updated At */
            updated_at: string | null;
            /** Url */
            url: string;
            /** User */
            user: string | null;
        };
        /**
         * WandbRunDetail
         * @description One run there, with its project.
         */
        WandbRunDetail: {
            /** Entity */
            entity: string;
            /** Project */
            project: string;
            run: components["schemas"]["WandbRun"];
        };
        /**
         * WandbRunList
         * @description Runs of a project there.
         */
        WandbRunList: {
            /** Count */
            count: number;
            /** Entity */
            entity: string;
            /** Project */
            project: string;
            /** Runs */
            runs: components["schemas"]["WandbRun"][];
        };
        /**
         * WandbScope
         * @description Where on Weights & Biases the run is looked for.
         */
        WandbScope: {
            /** Available */
            available: boolean;
            /** Entity */
            entity: string | null;
            /** Project */
            project: string | null;
            /** Reason */
            reason: string | null;
            /** Run Id */
            run_id: string;
        };
        /**
         * WandbStatus
         * @description Whether Weights & Biases can be reached.
         */
        WandbStatus: {
            /** Available */
            available: boolean;
            cache: components["schemas"]["WandbCache"];
            defaults: components["schemas"]["WandbDefaults"];
            /** Notes */
            notes: string[];
            /** Operations */
            operations: string[];
            /** Reason */
            reason: string | null;
        };
        /**
         * WindowList
         * @description Window rows of a run.
         */
        WindowList: {
            /** Count */
            count: number;
            /** Metrics Path */
            metrics_path: string;
            /** Run Id */
            run_id: string;
            /** Total */
            total: number;
            /** Windows */
            windows: components["schemas"]["WindowRow"][];
        };
        /**
         * WindowRow
         * @description One line of windows.jsonl: the fixed fields, then any number of metrics by name.
         *
         *     An env step is one `step()` of one world; schema 1 counted them in ticks. Outcomes come from episodes that
         *     ended in the window; with none, return_mean is 0 and every other outcome null.
         */
        WindowRow: {
            /** Env Steps End */
            env_steps_end: number;
            /** Env Steps In Window */
            env_steps_in_window: number;
            /** Env Steps Start */
            env_steps_start: number;
            /** Env Steps Total */
            env_steps_total: number;
            /** Episodes Completed */
            episodes_completed: number;
            /** Episodes Total */
            episodes_total: number;
            /** Invalid Action Rate */
            invalid_action_rate: number;
            /** Return Mean */
            return_mean: number;
            /** Return Median */
            return_median: number | null;
            /** Reward Mean */
            reward_mean: number;
            /** Reward Sum */
            reward_sum: number;
            /** Run Id */
            run_id: string;
            /**
             * Schema Version
             * @default 2
             */
            schema_version: number;
            /** Terminated Episodes */
            terminated_episodes: number;
            /** Ticks In Window */
            ticks_in_window: number;
            /** Ticks Total */
            ticks_total: number;
            /** Truncated Episodes */
            truncated_episodes: number;
            /** Window Complete */
            window_complete: boolean;
            /** Window Id */
            window_id: number;
        } & {
            [key: string]: unknown;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    get_art_manifest: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtManifest"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_asset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description Partial Content */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    list_games: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GameList"];
                };
            };
        };
    };
    get_game: {
        parameters: {
            query?: {
                /** @description NAME=VALUE, repeated; also profile=NAME */
                set?: string[] | null;
            };
            header?: never;
            path: {
                game: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GameSpec"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    list_bots: {
        parameters: {
            query?: {
                /** @description NAME=VALUE, repeated; also profile=NAME */
                set?: string[] | null;
            };
            header?: never;
            path: {
                game: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotList"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    list_scores: {
        parameters: {
            query: {
                seed: number;
                /** @description include every bot */
                bots?: boolean;
                /** @description include the best policy of the newest run that fits */
                policy?: boolean;
                /** @description NAME=VALUE, repeated; also profile=NAME */
                set?: string[] | null;
            };
            header?: never;
            path: {
                game: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScoreList"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_newest: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Newest"];
                };
            };
        };
    };
    create_session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewSession"] | null;
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlayState"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlayState"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    delete_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    reset_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ResetSession"] | null;
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlayState"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    step_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StepSession"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StepState"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    list_pretrained: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PretrainedList"];
                };
            };
        };
    };
    get_pretrained_learning: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                game: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LearningHistory"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_pretrained_policy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                role: string;
                game: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description an ONNX model */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": unknown;
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_pretrained_replay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                replay_id: string;
                game: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description a .jsonl.gz, as of every replay */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/gzip": unknown;
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    list_runs: {
        parameters: {
            query?: {
                limit?: number;
                /** @description only runs of this game */
                game?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunList"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_run: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunDetail"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_completeness: {
        parameters: {
            query?: {
                stale_after_seconds?: number;
                wandb_run_id?: string | null;
                wandb_entity?: string | null;
                wandb_project?: string | null;
                wandb_history_max_points?: number;
            };
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Completeness"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    list_checkpoints: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckpointList"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    list_files: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileList"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_run_file: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                path: string;
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description Partial Content */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Requested Range Not Satisfiable */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_league: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LeagueReport"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_learning: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LearningHistory"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    list_windows: {
        parameters: {
            query?: {
                limit?: number;
                /** @description asc: oldest first */
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WindowList"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_window: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                window_id: number;
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WindowRow"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    list_policies: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyList"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_policy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                role: string;
                /** @description a window's number, newest or best */
                window: string;
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description an ONNX model */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": unknown;
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    list_ratings: {
        parameters: {
            query?: {
                limit?: number;
                /** @description asc: oldest first */
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RatingList"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    list_replays: {
        parameters: {
            query?: {
                /** @description one tag; milestone:* matches every milestone */
                tag?: string | null;
                /** @description comma-separated tags */
                tags_any?: string | null;
                /** @description comma-separated tags */
                tags_all?: string | null;
                window_id?: number | null;
                limit?: number;
            };
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayList"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_replay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
                replay_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayDetail"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    get_replay_file: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
                replay_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description a .jsonl.gz, its digest checked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/gzip": unknown;
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    list_frames: {
        parameters: {
            query?: {
                offset?: number;
                limit?: number;
                /** @description add the game's info to each frame */
                info?: boolean;
            };
            header?: never;
            path: {
                run_id: string;
                replay_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FramePage"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    list_tags: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TagList"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    wandb_latest_runs: {
        parameters: {
            query?: {
                limit?: number;
                entity?: string | null;
                project?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WandbRunList"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Bad Gateway */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    wandb_run_history: {
        parameters: {
            query?: {
                max_points?: number;
                entity?: string | null;
                project?: string | null;
                /** @description comma-separated names, at most 64 */
                keys?: string | null;
            };
            header?: never;
            path: {
                wandb_run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WandbHistory"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Bad Gateway */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    wandb_iteration_view: {
        parameters: {
            query?: {
                max_points?: number;
                entity?: string | null;
                project?: string | null;
                /** @description comma-separated names, at most 64 */
                keys?: string | null;
            };
            header?: never;
            path: {
                wandb_run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WandbIterationView"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Bad Gateway */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    wandb_run_summary: {
        parameters: {
            query?: {
                entity?: string | null;
                project?: string | null;
            };
            header?: never;
            path: {
                wandb_run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WandbRunDetail"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Bad Gateway */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    wandb_status: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WandbStatus"];
                };
            };
        };
    };
    get_health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
}
