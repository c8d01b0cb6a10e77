// Media with the official SDK, whose multipart writer differs from those of other languages. Prints the names of the
// checks that failed.
package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

const model = "demo"

var client = openai.NewClient(
	option.WithBaseURL(os.Getenv("HEADGATE_URL")+"/v1"),
	option.WithAPIKey(os.Getenv("HEADGATE_API_KEY")),
	option.WithMaxRetries(0),
)

func check(name string, passed bool, err error) {
	if err != nil {
		fmt.Printf("%s: %v\n", name, err)
	} else if !passed {
		fmt.Println(name)
	}
}

func sizeOf(image openai.Image) (uint32, uint32) {
	data, err := base64.StdEncoding.DecodeString(image.B64JSON)
	if err != nil || len(data) < 24 {
		return 0, 0
	}
	return binary.BigEndian.Uint32(data[16:]), binary.BigEndian.Uint32(data[20:])
}

func hasSize(response *openai.ImagesResponse, width, height uint32) bool {
	if response == nil || len(response.Data) == 0 {
		return false
	}
	w, h := sizeOf(response.Data[0])
	return w == width && h == height
}

func main() {
	ctx := context.Background()
	var sound []byte
	speech, err := client.Audio.Speech.New(ctx, openai.AudioSpeechNewParams{
		Model:          model,
		Input:          "How do you do?",
		Voice:          openai.AudioSpeechNewParamsVoiceUnion{OfString: openai.String("alloy")},
		ResponseFormat: openai.AudioSpeechNewParamsResponseFormatWAV,
	})
	if err == nil {
		sound, err = io.ReadAll(speech.Body)
		speech.Body.Close()
	}
	check("speech", len(sound) == 44+40_320, err)

	made, err := client.Images.Generate(ctx, openai.ImageGenerateParams{
		Model: model, Prompt: "A fox.", Size: openai.ImageGenerateParamsSize1536x1024,
	})
	check("images", hasSize(made, 1536, 1024), err)

	var picture []byte
	if made != nil && len(made.Data) > 0 {
		picture, _ = base64.StdEncoding.DecodeString(made.Data[0].B64JSON)
	}
	edited, err := client.Images.Edit(ctx, openai.ImageEditParams{
		Model:  model,
		Prompt: "An owl.",
		Image:  openai.ImageEditParamsImageUnion{OfFile: openai.File(bytes.NewReader(picture), "fox.png", "image/png")},
	})
	check("edit", hasSize(edited, 256, 256), err)

	// A reader without a name is sent as `anonymous_file`, without its type.
	transcript, err := client.Audio.Transcriptions.New(ctx, openai.AudioTranscriptionNewParams{
		Model: model, File: bytes.NewReader(sound),
	})
	check("transcript", transcript != nil && strings.HasPrefix(transcript.Text, "Headgate demo"), err)
	verbose, err := client.Audio.Transcriptions.New(ctx, openai.AudioTranscriptionNewParams{
		Model:                  model,
		File:                   openai.File(bytes.NewReader(sound), "speech.wav", "audio/wav"),
		ResponseFormat:         openai.AudioResponseFormatVerboseJSON,
		TimestampGranularities: []string{"word"},
	})
	check("verbose", verbose != nil && strings.Count(verbose.RawJSON(), `"word":`) == 12, err)
	translation, err := client.Audio.Translations.New(ctx, openai.AudioTranslationNewParams{
		Model: model, File: bytes.NewReader(sound),
	})
	check("translation", translation != nil && strings.HasPrefix(translation.Text, "Headgate demo"), err)

	stream := client.Audio.Transcriptions.NewStreaming(ctx, openai.AudioTranscriptionNewParams{
		Model: model, File: bytes.NewReader(sound),
	})
	text := ""
	for stream.Next() {
		if event := stream.Current(); event.Type == "transcript.text.delta" {
			text += event.Delta
		}
	}
	check("streamed transcript", strings.HasPrefix(text, "Headgate demo"), stream.Err())

	moderated, err := client.Moderations.New(ctx, openai.ModerationNewParams{
		Model: model,
		Input: openai.ModerationNewParamsInputUnion{OfStringArray: []string{"A fox.", "I hate you."}},
	})
	check("moderations", moderated != nil && len(moderated.Results) == 2 && !moderated.Results[0].Flagged && moderated.Results[1].Flagged, err)
}
